import { useQueryClient } from '@tanstack/react-query'

/** After a change of a person: whatever shows it is read anew. */
export function usePersonChanged() {
  const client = useQueryClient()
  const names = ['getPerson', 'listPersons', 'listPersonIdentities', 'getGroup', 'listGroupMembers']
  return () => Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })))
}
