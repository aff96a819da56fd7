import type { Credential } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'

/** A page of the interface has at most so many. */
const maxListed = 1_000

/** Of a key that may not read credentials, none. */
export function useCredentials(): readonly Credential[] {
  const { data = none } = useQuery({
    queryKey: ['listOidcCredentials', 'all'],
    queryFn: async ({ signal }) => (await signet.listOidcCredentials({ query: { limit: maxListed }, signal })).result,
    enabled: useMay('credentials:read'),
    staleTime: 30_000,
  })
  return data
}

const none: readonly Credential[] = []

/** Who signs in there is somebody of the customer: at the others anybody may have an account. */
export const isOfCustomer = ({ provider }: Credential) =>
  provider === 'provider_h' || provider === 'oidc' || provider === 'provider_g'
