import { queryOptions } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'

/** An event never changes. */
export const eventQuery = (eventId: string) =>
  queryOptions({
    queryKey: ['getEvent', eventId],
    queryFn: async ({ signal }) => (await signet.getEvent({ path: { event_id: eventId }, signal })).result,
    staleTime: 'static',
  })
