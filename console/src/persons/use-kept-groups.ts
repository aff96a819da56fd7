import { useQuery } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import type { Keeper } from '../sign-in/keeper.tsx'

/** A page of the interface has at most so many. What stands beyond is refused by the service, in words. */
const maxListed = 1_000

/** The names of the groups of a directory: it alone says who is in them. */
export function useKeptGroups(keeper: Keeper | undefined): readonly string[] {
  const mayRead = useMay('groups:read')
  const { data = none } = useQuery({
    queryKey: ['listDirectoryGroups', keeper?.id, 'names'],
    queryFn: async ({ signal }) => {
      const query = { limit: maxListed }
      return (await signet.listDirectoryGroups({ path: { id: keeper?.id ?? '' }, query, signal })).result
    },
    select: (groups) => groups.map(({ group_name }) => group_name),
    enabled: mayRead && keeper !== undefined,
  })
  return data
}

const none: readonly string[] = []
