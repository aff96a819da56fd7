import type { AdapterPayload } from 'oidc-provider'
import { type Application, findApplication } from '../applications/index.ts'
import type { Clock } from '../clock.ts'
import type { Queries } from '../database/database.ts'
import { isUuid } from '../identifiers.ts'
import { keepNewest } from '../keep-newest.ts'

/** Applications of one organization that are kept; the one unused for longest is forgotten first. */
const maxKept = 200
/** A change that another process made holds here after so long. */
const lookUpAgainMs = 2_000

type Kept = { metadata: AdapterPayload; lookedUpAt: number }

/** The applications of one organization, as the library's clients. */
export function createClients(queries: Queries, clock: Clock, organizationId: string) {
  const kept = new Map<string, Kept>()
  /** How often an application was forgotten: what was read before the last time may be older than the change. */
  let forgotten = 0

  return {
    async find(clientId: string): Promise<AdapterPayload | undefined> {
      const known = kept.get(clientId)
      const now = clock.now()
      if (known && Math.abs(now - known.lookedUpAt) < lookUpAgainMs) return known.metadata
      kept.delete(clientId)
      const before = forgotten
      const found = isUuid(clientId) ? await findApplication(queries, organizationId, clientId) : undefined
      // Another spelling of the same UUID is no client's id: it would be another audience.
      if (found?.client_id !== clientId) return undefined
      const metadata = toMetadata(found)
      if (forgotten === before) keepNewest(kept, clientId, { metadata, lookedUpAt: now }, maxKept)
      return metadata
    },
    forget: (clientId: string) => {
      forgotten++
      kept.delete(clientId)
    },
  }
}

/** `client_secret` is the hash of the secret, which is all there is. */
const toMetadata = (application: Application): AdapterPayload => ({
  client_id: application.client_id,
  client_name: application.name,
  redirect_uris: application.redirect_uris,
  post_logout_redirect_uris: application.post_logout_redirect_uris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  id_token_signed_response_alg: application.id_token_signed_response_alg,
  require_pkce: application.require_pkce,
  ...(application.client_secret_hash
    ? {
        token_endpoint_auth_method: 'client_secret_basic',
        client_secret: application.client_secret_hash.toString('hex'),
      }
    : { token_endpoint_auth_method: 'none' }),
})
