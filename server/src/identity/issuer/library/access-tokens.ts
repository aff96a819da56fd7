import type Provider from 'oidc-provider'
import { type AdapterPayload, errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { parseDuration } from '../../../ground/runtime/duration.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import type { Resource } from '../../resources/index.ts'
import { claimsOf } from './claims.ts'
import type { Resources } from './resources.ts'
import type { LibraryTime } from './time.ts'
import { unitOfWork } from './unit-of-work.ts'

type Dependencies = { organizationId: string; clock: Clock; time: LibraryTime; findResource: Resources['find'] }

/** The library's description of a resource, for a request that names it or a grant that has it. */
export const createResourceServerInfo =
  ({ findResource, time }: Pick<Dependencies, 'findResource' | 'time'>) =>
  async ({ oidc }: KoaContextWithOIDC, identifier: string): Promise<ResourceServer> => {
    const resource = await findResource(identifier)
    if (!resource || isYounger(resource, oidc.entities.Grant?.iat, time)) throw new errors.InvalidTarget()
    return {
      scope: resource.scopes.join(' '),
      accessTokenTTL: Math.floor((parseDuration(resource.token_lifetime) ?? 0) / 1_000),
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'RS256' } },
    }
  }

/** The sign-in was for one that was deleted, and had the same identifier. */
const isYounger = ({ created_at }: Resource, grantedAt: number | undefined, time: LibraryTime) =>
  grantedAt !== undefined && time.secondsOf(toTimestamp(created_at.getTime())) > grantedAt

/** Grants what the request asks of each resource that it names: nobody is asked for consent. */
export function grantResources({ oidc }: KoaContextWithOIDC, grant: InstanceType<Provider['Grant']>) {
  for (const [identifier, { scopes }] of Object.entries(oidc.resourceServers ?? {}))
    grant.addResourceScope(identifier, [...oidc.requestParamScopes].filter((scope) => scopes.has(scope)).join(' '))
}

/** Its types leave out what makes the token. */
type Made = InstanceType<Provider['AccessToken']> & { getValueAndPayload(): Promise<{ value: string }> }
type TokenParts = { payload: Record<string, unknown> }

/** What RFC 9068 wants beside the library's claims, and what tokens of Signet say. The library's own stand above those of hooks. */
export const completeAccessToken =
  (organizationId: string) =>
  ({ oidc }: KoaContextWithOIDC, _token: unknown, parts: TokenParts) => {
    const { token } = unitOfWork()
    if (!token) throw new Error('a token is issued for a code or a refresh token')
    const hasGroups = oidc.client?.groups_claim !== false
    const { org_id, groups, groups_truncated }: AdapterPayload = claimsOf({ organizationId, hasGroups }, token)
    const auth_time = (oidc.entities.AuthorizationCode ?? oidc.entities.RefreshToken)?.authTime
    parts.payload = { ...token.claims, ...parts.payload, auth_time, org_id, groups, groups_truncated }
  }

/** The library stores no JWT. We do, by its hash: it is known again, and ends with its grant. */
export function storeAccessTokens({ AccessToken }: Provider, { clock, findResource }: Dependencies) {
  const prototype: Made = AccessToken.prototype as never
  const { getValueAndPayload } = prototype
  prototype.getValueAndPayload = async function () {
    const made = await getValueAndPayload.call(this)
    const resource = this.resourceServer && (await findResource(this.resourceServer.identifier()))
    if (!resource) return made
    const payload = { clientId: this.clientId, resourceId: resource.id }
    const expiresAt = toTimestamp(clock.now() + this.remainingTTL * 1_000)
    unitOfWork().tokens.push({ idHash: hashOf(made.value), kind: 'JwtAccessToken', payload, expiresAt })
    return made
  }
}
