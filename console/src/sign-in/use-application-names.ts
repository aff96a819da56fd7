import type { Application } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'

/** A page of the interface has at most so many. */
const maxListed = 1_000

/** The names of the applications by their client ids; of a key that may not read applications, none. */
export function useApplicationNames(): ReadonlyMap<string, string> {
  const { data = noNames } = useQuery({
    queryKey: ['listApplications', 'names'],
    queryFn: async ({ signal }) => (await signet.listApplications({ query: { limit: maxListed }, signal })).result,
    select: namesById,
    enabled: useMay('applications:read'),
    staleTime: 30_000,
  })
  return data
}

const noNames: ReadonlyMap<string, string> = new Map()
/** Each row of a table asks for them: made once for each answer. */
const namesById = (applications: readonly Application[]) =>
  new Map(applications.map(({ client_id, name }) => [client_id, name]))
