import { type Configuration, errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import { unavailableError } from '../../../ground/http/chain/error-reply.ts'
import { languages } from '../../../ground/http/pages/index.ts'
import { basePathOf, routes } from '../addresses.ts'
import type { Lifetimes } from '../contract.ts'
import { interactionPath } from '../interaction-store.ts'
import { algorithms, type IssuerKey } from '../keys/issuer-keys.ts'
import { sessionCookieOf } from '../session-cookie.ts'
import { completeAccessToken, createResourceServerInfo, grantResources } from './access-tokens.ts'
import { createAdapter } from './adapter.ts'
import { claimsByScope, claimsOf, hasOfflineAccess, offlineAccess, ownClaims, scopes } from './claims.ts'
import { libraryCookies, sessionCookieOptions } from './cookies.ts'
import { describedAs } from './described-errors.ts'
import { mayIntrospect } from './introspection.ts'
import { answerUnavailable, showError } from './pages.ts'
import { createPolicy } from './policy.ts'
import { askOrSignOut, showSignedOut } from './sign-out.ts'
import { unitOfWork } from './unit-of-work.ts'

type Dependencies = Parameters<typeof createAdapter>[0] &
  Parameters<typeof createPolicy>[0] &
  Parameters<typeof createResourceServerInfo>[0] & {
    baseUrl: string
    lifetimes: Lifetimes
    /** The first key of each algorithm signs. */
    keys: IssuerKey[]
  }

/** The library's configuration for one organization. */
export function configure(dependencies: Dependencies): Configuration {
  const { organizationId, baseUrl, keys } = dependencies
  const sessionCookie = sessionCookieOf(organizationId, baseUrl)
  return {
    adapter: createAdapter(dependencies),
    jwks: { keys } as NonNullable<Configuration['jwks']>,
    cookies: {
      names: { session: sessionCookie, ...libraryCookies },
      long: sessionCookieOptions,
      // The interactions that these cookies name are bound to the browser by our own cookie.
      short: { httpOnly: true, sameSite: 'lax', signed: false },
    },
    routes,
    responseTypes: ['code'],
    scopes,
    claims: { openid: ownClaims, ...claimsByScope },
    conformIdTokenClaims: false,
    discovery: { ui_locales_supported: languages },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: [...algorithms] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: createResourceServerInfo(dependencies),
        // Whoever named a resource at the sign-in gets tokens for it, at a refresh too.
        useGrantedResource: () => true,
      },
      introspection: { enabled: true, allowedPolicy: mayIntrospect },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => askOrSignOut(ctx, form, sessionCookie),
        postLogoutSuccessSource: showSignedOut,
      },
    },
    formats: { customizers: { jwt: completeAccessToken(organizationId) } },
    ...requestRules(),
    ...tokenRules(dependencies),
    interactions: {
      policy: createPolicy(dependencies),
      url: (_ctx, { uid }) => `${basePathOf(baseUrl)}${interactionPath(organizationId, uid)}`,
    },
    renderError: (ctx, { error, error_description }, failure) => {
      const unavailable = unavailableError(failure)
      if (unavailable) answerUnavailable(ctx, unavailable)
      else showError(ctx, error, describedAs(error, error_description))
    },
  }
}

/** Which authorize requests are valid. */
const requestRules = (): Configuration => ({
  extraClientMetadata: {
    properties: [
      'require_pkce',
      'require_nonce',
      'introspects',
      'client_secrets',
      'groups_claim',
      'home_url',
      'registered_uris',
      'registered_sign_out_uris',
    ],
  },
  extraParams: { idp: null, correlation_id: null, scope: checkScope },
  pkce: { required: isPkceRequired },
  // A request reaches the library with an `Origin` only if it is that of an application (`endpoints.ts`).
  clientBasedCORS: () => true,
  allowOmittingSingleRegisteredRedirectUri: false,
})

/**
 * Requires `openid`, and restores `offline_access`: the library removes that scope from a request without
 * `prompt=consent`, which the organization's own applications do not need.
 */
function checkScope({ oidc, query }: KoaContextWithOIDC, scope = '') {
  if (!scope.split(' ').includes('openid')) throw new errors.InvalidScope('openid must be in the scope', 'openid')
  const isRemoved =
    hasOfflineAccess(String(query.scope)) && !hasOfflineAccess(scope) && oidc.client?.grantTypeAllowed('refresh_token')
  if (oidc.params && isRemoved) oidc.params.scope = `${scope} ${offlineAccess}`
}

/** A confidential application without PKCE must send a nonce, which protects the code as well, unless that is switched off too. */
function isPkceRequired({ oidc }: KoaContextWithOIDC, client: { [metadata: string]: unknown }): boolean {
  if (client.require_pkce) return true
  if (client.require_nonce && oidc.params?.nonce === undefined)
    throw new errors.InvalidRequest('nonce is required where PKCE is not used')
  return false
}

/** Of access tokens, in seconds. */
const lifetimesOf = (resourceServers: Record<string, ResourceServer> = {}) =>
  Object.values(resourceServers).map(({ accessTokenTTL }) => accessTokenTTL ?? 0)

/** How long sessions, grants and tokens live, and which claims they have. */
function tokenRules({ organizationId, lifetimes, time }: Dependencies): Configuration {
  const seconds = (ms: number) => Math.max(1, Math.floor(ms / 1_000))
  const left = (ms: number, since: number) => Math.max(1, since + seconds(ms) - time.now())
  const { codeMs, idTokenMs, accessTokenMs, refreshIdleMs, refreshMs, sessionMs, flowMs } = lifetimes
  return {
    ttl: {
      AuthorizationCode: seconds(codeMs),
      IdToken: seconds(idTokenMs),
      // All tokens of one sign-in end together.
      AccessToken: ({ oidc }, { resourceServer }) =>
        Math.min(
          resourceServer?.accessTokenTTL ?? seconds(accessTokenMs),
          left(refreshMs, oidc.entities.RefreshToken?.iiat ?? time.now()),
        ),
      RefreshToken: (_ctx, { iiat }) => Math.min(seconds(refreshIdleMs), left(refreshMs, iiat ?? time.now())),
      // Longer than the last token that the grant allows.
      Grant: ({ oidc }, grant) =>
        seconds(codeMs + (hasOfflineAccess(grant.openid?.scope) ? refreshMs : 0)) +
        Math.max(seconds(accessTokenMs), ...lifetimesOf(oidc.resourceServers)),
      Session: (_ctx, { loginTs }) => left(sessionMs, loginTs ?? time.now()),
      Interaction: seconds(flowMs),
    },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, _client, { scope }) => hasOfflineAccess(scope),
    // The database removes grants that end with their session; no token has to look its session up.
    expiresWithSession: async () => false,
    loadExistingGrant: makeGrant,
    revokeGrantPolicy: () => true,
    findAccount: (ctx, accountId, token) =>
      findAccount(accountId, token && { organizationId, hasGroups: ctx.oidc.client?.groups_claim !== false }),
  }
}

/** One grant per sign-in: two sign-ins at once in one browser share nothing. Nobody is asked for consent. */
async function makeGrant(ctx: KoaContextWithOIDC) {
  const { oidc } = ctx
  const { client, account, provider, requestParamOIDCScopes } = oidc
  const grant = new provider.Grant({ clientId: client?.clientId, accountId: account?.accountId })
  grant.addOIDCScope([...requestParamOIDCScopes].join(' '))
  grantResources(ctx, grant)
  await grant.save()
  return grant
}

/**
 * The person was read with the token. Before there is a token only the id is needed; the statement that writes the grant
 * checks that the person is active.
 */
function findAccount(accountId: string, issuing: Parameters<typeof claimsOf>[0] | undefined) {
  if (!issuing) return { accountId, claims: () => ({ sub: accountId }) }
  const { token } = unitOfWork()
  if (!token?.active) return undefined
  return { accountId, claims: () => ({ sub: accountId, ...claimsOf(issuing, token) }) }
}
