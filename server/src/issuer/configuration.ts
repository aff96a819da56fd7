import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { unavailableError } from '../http/error-answer.ts'
import { createAdapter } from './adapter.ts'
import { basePathOf, routes } from './addresses.ts'
import { claimsOf, ownClaims } from './claims.ts'
import { gathered } from './gathered.ts'
import { interactionPath } from './interaction.ts'
import { algorithms } from './issuer-key-store.ts'
import type { IssuerKey } from './issuer-keys.ts'
import { libraryCookies } from './library-cookies.ts'
import { answerUnavailable, askToSignOut, showError, showSignedOut } from './pages.ts'
import { createPolicy } from './policy.ts'
import { postedSignOut, signOut } from './posted-sign-out.ts'
import { claimsByScope, hasOfflineAccess, offlineAccess, scopes } from './scopes.ts'
import { sessionCookieOf, sessionCookieOptions } from './session-cookie.ts'

/** In milliseconds. */
export type Lifetimes = {
  codeMs: number
  idTokenMs: number
  accessTokenMs: number
  /** Of a refresh token that is not used, and of all that were made of one sign-in. */
  refreshIdleMs: number
  refreshMs: number
  /** Since the person proved who it is. */
  sessionMs: number
  /** From a request until the person has signed in. */
  flowMs: number
}

type Dependencies = Parameters<typeof createAdapter>[0] &
  Parameters<typeof createPolicy>[0] & {
    baseUrl: string
    lifetimes: Lifetimes
    /** Of each algorithm the first one signs. */
    keys: IssuerKey[]
  }

/** All that the library is told for one organization. */
export function configure(dependencies: Dependencies): Configuration {
  const { organizationId, baseUrl, keys } = dependencies
  const sessionCookie = sessionCookieOf(organizationId, baseUrl)
  return {
    adapter: createAdapter(dependencies),
    jwks: { keys } as NonNullable<Configuration['jwks']>,
    cookies: {
      names: { session: sessionCookie, ...libraryCookies },
      long: sessionCookieOptions,
      // What these name is bound to the browser by a cookie of ours.
      short: { httpOnly: true, sameSite: 'lax', signed: false },
    },
    routes,
    responseTypes: ['code'],
    scopes,
    claims: { openid: ownClaims, ...claimsByScope },
    conformIdTokenClaims: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: [...algorithms] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          const answer = postedSignOut(ctx)
          return answer === 'yes' || answer === 'no' ? signOut(ctx, answer, sessionCookie) : askToSignOut(ctx, form)
        },
        postLogoutSuccessSource: showSignedOut,
      },
    },
    ...requestRules(),
    ...tokenRules(dependencies),
    interactions: {
      policy: createPolicy(dependencies),
      url: (_ctx, { uid }) => `${basePathOf(baseUrl)}${interactionPath(organizationId, uid)}`,
    },
    renderError: (ctx, { error, error_description }, failure) => {
      const away = unavailableError(failure)
      if (away) answerUnavailable(ctx, away)
      else showError(ctx, error, error_description)
    },
  }
}

/** What applications may ask, and how. */
function requestRules(): Configuration {
  return {
    extraClientMetadata: { properties: ['require_pkce', 'groups_claim'] },
    extraParams: { idp: null, correlation_id: null, scope: settleScope },
    pkce: { required: isPkceRequired },
    // The library is shown an `Origin` only where it is that of an application (`endpoints.ts`).
    clientBasedCORS: () => true,
    allowOmittingSingleRegisteredRedirectUri: false,
  }
}

/**
 * An application that does not ask who the person is has nothing to ask. The library takes `offline_access` out of a request
 * that does not ask for consent as well; an organization's own applications need none.
 */
function settleScope({ oidc, query }: KoaContextWithOIDC, kept = '') {
  if (!kept.split(' ').includes('openid')) throw new errors.InvalidScope('openid must be in the scope', 'openid')
  const isLost = hasOfflineAccess(String(query.scope)) && !hasOfflineAccess(kept)
  if (oidc.params && isLost) oidc.params.scope = `${kept} ${offlineAccess}`
}

/** A confidential application that switched it off sends a nonce, which protects the code as well. */
function isPkceRequired({ oidc }: KoaContextWithOIDC, client: { [metadata: string]: unknown }): boolean {
  if (client.require_pkce) return true
  if (oidc.params?.nonce === undefined) throw new errors.InvalidRequest('nonce is required where PKCE is not used')
  return false
}

/** How long things live, and what is in them. */
function tokenRules({ organizationId, lifetimes, time }: Dependencies): Configuration {
  const seconds = (ms: number) => Math.max(1, Math.floor(ms / 1_000))
  const left = (ms: number, since: number) => Math.max(1, since + seconds(ms) - time.now())
  const { codeMs, idTokenMs, accessTokenMs, refreshIdleMs, refreshMs, sessionMs, flowMs } = lifetimes
  return {
    ttl: {
      AuthorizationCode: seconds(codeMs),
      IdToken: seconds(idTokenMs),
      // All that came of one sign-in ends together.
      AccessToken: ({ oidc }) =>
        Math.min(seconds(accessTokenMs), left(refreshMs, oidc.entities.RefreshToken?.iiat ?? time.now())),
      RefreshToken: (_ctx, { iiat }) => Math.min(seconds(refreshIdleMs), left(refreshMs, iiat ?? time.now())),
      // Longer than the last token that can be made of it.
      Grant: (_ctx, grant) => seconds(codeMs + accessTokenMs + (hasOfflineAccess(grant.openid?.scope) ? refreshMs : 0)),
      Session: (_ctx, { loginTs }) => left(sessionMs, loginTs ?? time.now()),
      Interaction: seconds(flowMs),
    },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, _client, { scope }) => hasOfflineAccess(scope),
    // The database knows which grants end with their session, and needs not be asked for it.
    expiresWithSession: async () => false,
    loadExistingGrant: makeGrant,
    revokeGrantPolicy: () => true,
    findAccount: (ctx, accountId, token) =>
      findAccount(accountId, token && { organizationId, hasGroups: ctx.oidc.client?.groups_claim !== false }),
  }
}

/** One for each sign-in, so that two at once in one browser have nothing in common. Nobody is asked what it grants. */
async function makeGrant({ oidc }: KoaContextWithOIDC) {
  const { client, account, provider, requestParamOIDCScopes } = oidc
  const grant = new provider.Grant({ clientId: client?.clientId, accountId: account?.accountId })
  grant.addOIDCScope([...requestParamOIDCScopes].join(' '))
  await grant.save()
  return grant
}

/** The person was read with the token. Before there is one, only the id is needed, and writing the grant looks at the rest. */
function findAccount(accountId: string, told: Parameters<typeof claimsOf>[0] | undefined) {
  if (!told) return { accountId, claims: () => ({ sub: accountId }) }
  const { token } = gathered()
  if (!token?.active) return undefined
  return { accountId, claims: () => ({ sub: accountId, ...claimsOf(told, token) }) }
}
