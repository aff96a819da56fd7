import type { AdapterPayload } from 'oidc-provider'
import type { Queries } from '../../../ground/database/database.ts'
import { type Cache, createCache } from '../../../ground/runtime/cache.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { type Application, findApplication } from '../../applications/index.ts'
import { consoleCallbackOf, consoleClientId, consoleOriginOf } from '../console-client/console-client.ts'

/** Cached applications of one organization. */
const maxClients = 200

/** The library's clients by id: the applications of one organization, and the console. */
export const createClients = (
  queries: Queries,
  clock: Clock,
  { organizationId, baseUrl }: { organizationId: string; baseUrl: string },
): Cache<[clientId: string], AdapterPayload> =>
  createCache(clock, maxClients, async (clientId) => {
    if (clientId === consoleClientId) return consoleClient(organizationId, baseUrl)
    const found = isUuid(clientId) ? await findApplication(queries, organizationId, clientId) : undefined
    // Another spelling of the same UUID would be another audience.
    return found?.client_id === clientId ? toMetadata(found) : undefined
  })

/** The library must have one, and has its own rules for it; `replaced-methods.ts` allows no other address than the registered ones. */
const unusedUri = 'https://redirect-uri.invalid'

const unusedSecret = 'none-is-stored'

const toMetadata = (application: Application): AdapterPayload => ({
  client_id: application.client_id,
  client_name: application.name,
  redirect_uris: [unusedUri],
  registered_uris: application.redirect_uris,
  registered_sign_out_uris: application.post_logout_redirect_uris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  id_token_signed_response_alg: application.id_token_signed_response_alg,
  require_pkce: application.require_pkce,
  require_nonce: application.require_nonce,
  introspects: application.introspects,
  groups_claim: application.groups_claim,
  home_url: application.home_url ?? '',
  ...(application.confidential
    ? {
        token_endpoint_auth_method: 'client_secret_basic',
        // The library must have one; `replaced-methods.ts` compares with ours.
        client_secret: unusedSecret,
        client_secrets: application.secrets,
      }
    : { token_endpoint_auth_method: 'none' }),
})

/**
 * The service takes its codes itself (`take-console-code.ts`). Here it is a confidential client without a secret: nobody can be it at the
 * token endpoint, and its redirect URI is compared character by character, where a public client may use any port of a loopback address.
 */
function consoleClient(organizationId: string, baseUrl: string): AdapterPayload {
  const { name, homeUrl } = consoleOriginOf(baseUrl, organizationId)
  return {
    client_id: consoleClientId,
    client_name: name,
    redirect_uris: [unusedUri],
    registered_uris: [consoleCallbackOf(baseUrl)],
    registered_sign_out_uris: [],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    scope: 'openid',
    id_token_signed_response_alg: 'RS256',
    require_pkce: true,
    require_nonce: false,
    introspects: [],
    groups_claim: false,
    home_url: homeUrl,
    token_endpoint_auth_method: 'client_secret_basic',
    client_secret: unusedSecret,
    client_secrets: [],
  }
}
