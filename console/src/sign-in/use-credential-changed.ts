import { useQueryClient } from '@tanstack/react-query'

/** After a change, every list and page of credentials is read anew. */
export function useCredentialChanged() {
  const client = useQueryClient()
  return () =>
    Promise.all(
      ['getOidcCredential', 'listOidcCredentials'].map((name) => client.invalidateQueries({ queryKey: [name] })),
    )
}
