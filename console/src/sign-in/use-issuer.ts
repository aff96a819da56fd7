import { useQuery } from '@tanstack/react-query'
import { serviceUrl } from '../service/address.ts'
import { useSession } from '../session/session.ts'

/**
 * The issuer as it calls itself: the console may be open at another address of the service. Read where every library reads it,
 * since it is no operation of the interface.
 */
export function useIssuer() {
  const { organization_id } = useSession()
  return useQuery({
    queryKey: ['issuer', organization_id],
    queryFn: async ({ signal }): Promise<string> => {
      const address = `${serviceUrl}/oidc/${organization_id}/.well-known/openid-configuration`
      const reply = await fetch(address, { signal, credentials: 'omit' })
      if (!reply.ok) throw new Error(`The issuer answered with ${reply.status}.`)
      return (await reply.json()).issuer
    },
    staleTime: 'static',
  })
}
