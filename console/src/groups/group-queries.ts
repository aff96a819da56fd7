import { useQuery, useQueryClient } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'

export const useGroup = (name: string) =>
  useQuery({
    queryKey: ['getGroup', name],
    queryFn: ({ signal }) => signet.getGroup({ path: { group_name: name }, signal }),
  })

/** After a change of a group or of its members: whatever shows them is read anew. */
export function useGroupChanged() {
  const client = useQueryClient()
  const names = ['getGroup', 'listGroups', 'getPerson', 'listPersons']
  return () => Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })))
}
