import { decodeJwt } from 'jose'
import type { Client, KoaContextWithOIDC } from 'oidc-provider'
import type { Database } from '../../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import { findToken } from '../token-store.ts'
import type { Resources } from './resources.ts'
import { unitOfWork } from './unit-of-work.ts'

type Dependencies = { organizationId: string; database: Database; clock: Clock; findResource: Resources['find'] }

/** Of an opaque token, which the library has read: it must be the application's own. */
export function mayIntrospect(
  _ctx: KoaContextWithOIDC,
  client: Client,
  { clientId }: { clientId?: string | undefined },
) {
  const { token } = unitOfWork()
  return clientId === client.clientId && token?.active === true && !token.isConsumed
}

/**
 * The library authenticates the application and refuses a JWT. Here the refusal becomes the answer, and a public application, which
 * proves nothing, gets none.
 */
export async function answerIntrospection(ctx: KoaContextWithOIDC, dependencies: Dependencies) {
  const { client, params } = ctx.oidc ?? {}
  if (ctx.oidc?.route !== 'introspection' || !client) return
  if (client.clientAuthMethod === 'none') {
    ctx.status = 401
    ctx.body = { error: 'invalid_client', error_description: 'only a confidential application may introspect' }
  } else if ((ctx.body as { error?: string } | undefined)?.error === 'unsupported_token_type') {
    ctx.status = 200
    ctx.body = await describeJwt(String(params?.token), client, dependencies)
  }
}

/** Only what this issuer made has a hash that is stored: nothing of another token is read, its algorithm neither. */
async function describeJwt(value: string, client: Client, dependencies: Dependencies) {
  const { organizationId, database, clock, findResource } = dependencies
  const inactive = { active: false }
  const now = toTimestamp(clock.now())
  const found = await findToken(database.read, organizationId, 'JwtAccessToken', hashOf(value), now)
  if (!found?.active) return inactive
  const { clientId, resourceId } = found.payload
  const claims = decodeJwt(value)
  const isShown = clientId === client.clientId || introspectedBy(client).includes(String(claims.aud))
  if (!isShown || (await findResource(String(claims.aud)))?.id !== resourceId) return inactive
  return { ...claims, token_type: 'Bearer', active: true }
}

const introspectedBy = ({ introspects }: Client) => (introspects ?? []) as string[]
