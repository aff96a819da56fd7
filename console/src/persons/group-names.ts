import { useQuery } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'

/** Those that begin with it. Who may not read groups is offered none. */
export function useGroupNames(name: string): string[] {
  const query = { limit: 25, ...(name && { name }) }
  const groups = useQuery({
    queryKey: ['listGroups', query],
    queryFn: ({ signal }) => signet.listGroups({ query, signal }),
    retry: false,
  })
  return groups.data?.result ?? []
}
