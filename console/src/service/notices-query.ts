import type { Notice } from '@signet/management'
import { queryOptions } from '@tanstack/react-query'
import { signet } from './signet.ts'

const refreshMs = 60_000

/** What needs somebody's attention now, as the service computes it. */
export const noticesQuery = queryOptions({
  queryKey: ['listNotices'],
  queryFn: async ({ signal }): Promise<Notice[]> => (await signet.listNotices({ signal })).result,
  refetchInterval: refreshMs,
  staleTime: refreshMs / 2,
})
