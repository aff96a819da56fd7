import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { badRequest, notFound, notOfConsole } from '../../ground/errors.ts'
import { closed, Uuid } from '../../ground/http/chain/schemas.ts'
import { refuseUnstorableText } from '../../ground/http/chain/validation.ts'
import { isLoopbackName } from '../../ground/runtime/loopback-name.ts'
import {
  beginConsoleSignIn,
  type ConsoleEntry,
  type ConsoleEntryDependencies,
  consolePathOf,
  type Redirect,
} from '../issuer/index.ts'
import { findOrganization, refuseIfMoving } from '../organizations/index.ts'
import { ownOrigin } from './own-page.ts'
import { toReturnPath } from './return-path.ts'
import { readSessionCookie } from './session-cookie.ts'

const Query = closed({
  organization_id: Uuid,
  idp: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  return_to: Type.Optional(Type.String()),
  fresh: Type.Optional(Type.Literal('1')),
})
type Query = Static<typeof Query>

export type BeginDependencies = ConsoleEntryDependencies

/**
 * Sends a browser to the issuer of the organization. Only a page of the console begins a sign-in, or the person who opens the address:
 * the link of another site leads to the page that offers it.
 */
export const beginSignIn = (dependencies: BeginDependencies) => ({
  schema: { querystring: Query },
  preValidation: refuseUnstorableText,
  handler: async (request: FastifyRequest, reply: FastifyReply) => {
    const entry = readEntry(request, dependencies)
    await requireOrganization(entry.organizationId, dependencies.database)
    return redirect(
      reply,
      isFromOwnPage(request, dependencies.baseUrl)
        ? await beginConsoleSignIn(entry, dependencies)
        : { to: dependencies.baseUrl + consolePathOf(entry.organizationId) },
    )
  },
})

export function redirect(reply: FastifyReply, { to, setCookies }: Redirect) {
  if (setCookies) reply.header('set-cookie', setCookies)
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(to, 303)
}

function readEntry({ query, headers }: FastifyRequest, { baseUrl, isSecure }: BeginDependencies): ConsoleEntry {
  const { organization_id, idp, return_to, fresh } = query as Query
  const organizationId = organization_id.toLowerCase()
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '')
  const returnTo = return_to === undefined ? undefined : toReturnPath(return_to, organizationId, basePath)
  if (return_to !== undefined && returnTo === undefined)
    throw badRequest(
      'invalid_value',
      `return_to: must be a path below ${consolePathOf(organizationId)} or /console/operator/`,
    )
  const { cookie } = headers
  const formerHash = readSessionCookie(cookie, organizationId, isSecure)?.hash
  return { organizationId, idp, returnTo, isFresh: fresh !== undefined, formerHash, cookie }
}

async function requireOrganization(organizationId: string, { read }: Database) {
  if (await findOrganization(read, organizationId)) return
  await refuseIfMoving(read, organizationId)
  throw notFound('organization')
}

/**
 * Where the issuer leads back to: `localhost` is not where `127.0.0.1` has its cookies. A proxy that tells its own address may stand before
 * any other base URL. A picture or a frame of another page begins nothing at all.
 */
function isFromOwnPage({ headers }: FastifyRequest, baseUrl: string): boolean {
  const base = new URL(baseUrl)
  const own = ownOrigin(headers.host ?? '', base)
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-dest': destination = 'document' } = headers
  if (own === undefined || destination !== 'document') throw notOfConsole()
  return (own === base.origin || !isLoopbackName(base.hostname)) && ['same-origin', 'none'].includes(String(site))
}
