import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { isOriginOfApplication } from '../applications/index.ts'
import type { Database } from '../database/database.ts'
import { ApiError, foreignOrigin, methodNotAllowed, notFound } from '../errors.ts'
import { clientAddress } from '../http/app.ts'
import { answerError } from '../http/error-answer.ts'
import type { CallerLimit } from '../http/rate-limit.ts'
import { busyPage, pageHeaders, renderPage } from '../pages/index.ts'
import { issuerPath, resumeCookie, routes } from './addresses.ts'
import { gatheredFor } from './gathered.ts'
import type { Issuer } from './issuers.ts'
import type { Caller } from './policy.ts'

/**
 * What the library serves of what it could. `by`: who calls it, which says what it counts as and how that is refused.
 * `origins`: answered to the origins of the organization's applications only.
 */
const endpoints: Endpoint[] = [
  { path: '/.well-known/openid-configuration', methods: ['GET', 'HEAD', 'OPTIONS'], by: 'application' },
  { path: routes.jwks, methods: ['GET', 'HEAD', 'OPTIONS'], by: 'application' },
  { path: routes.authorization, methods: ['GET'], by: 'browser' },
  { path: `${routes.authorization}/:uid`, methods: ['GET'], by: 'browser' },
  { path: routes.token, methods: ['POST', 'OPTIONS'], by: 'application', origins: true },
  { path: routes.userinfo, methods: ['GET', 'POST', 'OPTIONS'], by: 'application', origins: true },
  { path: routes.revocation, methods: ['POST', 'OPTIONS'], by: 'application', origins: true },
  { path: routes.end_session, methods: ['GET'], by: 'browser' },
  { path: `${routes.end_session}/confirm`, methods: ['POST'], by: 'browser' },
  { path: `${routes.end_session}/success`, methods: ['GET'], by: 'browser' },
]

type Endpoint = { path: string; methods: string[]; by: 'browser' | 'application'; origins?: boolean }
/** Of what browsers ask, and of what applications do. */
export type Limits = { signIn: CallerLimit; token: CallerLimit }
type Params = { Params: { organization_id: string; uid?: string } }
type Serving = {
  database: Database
  baseUrl: string
  limits: Limits
  find: (organizationId: string) => Promise<Issuer | undefined>
}

const callers = new WeakMap<IncomingMessage, Caller>()

/** As the shell sees it, which knows the trusted proxies. */
export const callerOf = ({ req }: Pick<KoaContextWithOIDC, 'req'>): Caller =>
  callers.get(req) ?? { clientAddress: '', userAgent: '' }

/** In a scope of its own: the library reads bodies by itself. */
export function serveEndpoints(app: FastifyInstance, serving: Serving) {
  const base = new URL(serving.baseUrl)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const endpoint of endpoints) {
      const limit = endpoint.by === 'browser' ? serving.limits.signIn : serving.limits.token
      scope.all<Params>(`${issuerPath(':organization_id')}${endpoint.path}`, {
        schema: { hide: true } as object,
        onRequest: async (request) => limit.takeAddress(clientAddress(request)),
        errorHandler: (error, request, reply) => refuse(error, request, reply, endpoint),
        handler: async (request, reply) => {
          const issuer = await admit(request, endpoint, serving)
          const { organization_id: organizationId, uid = '' } = request.params
          limit.takeOrganization(organizationId)
          const path = `${endpoint.path.replace(':uid', encodeURIComponent(uid))}${queryIn(request.url)}`
          await pass(request, reply, issuer, { organizationId, path, base })
        },
      })
    }
  })
}

const queryIn = (url: string) => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

/** A person is shown a page; an application is told as OAuth tells errors. All that is no matter of OAuth is in the envelope. */
function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, { by }: Endpoint) {
  if (!(error instanceof ApiError) || error.status !== 429) return answerError(error, request, reply)
  reply.code(429).headers(error.headers)
  return by === 'browser'
    ? reply.headers(pageHeaders(busyPage)).send(renderPage(busyPage))
    : reply
        .header('cache-control', 'no-store')
        .send({ error: 'temporarily_unavailable', error_description: error.message })
}

async function admit(request: FastifyRequest<Params>, { methods, origins }: Endpoint, { database, find }: Serving) {
  if (!methods.includes(request.method)) throw methodNotAllowed(methods)
  const { organization_id } = request.params
  const issuer = isOrganizationId(organization_id) ? await find(organization_id) : undefined
  if (!issuer) throw notFound('issuer')
  const { origin } = request.headers
  if (origins && origin && !(await isOriginOfApplication(database.read, organization_id, origin))) throw foreignOrigin()
  return issuer
}

/** In its one spelling: an issuer is compared letter by letter. */
const isOrganizationId = (text: string) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text)

/**
 * The browser of a sign-in that has its result, whichever it is. `whenUsed` is a `Set-Cookie` line for the answer that uses
 * it up: with any other one, such as an error of ours, the browser may come again. False: nothing was answered, for there is no such issuer, or
 * the browser has gone: it may come again, and a result is used once.
 */
export type Resume = (
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: { organizationId: string; uid: string; whenUsed: string },
) => Promise<boolean>

/**
 * Answers as if the browser had come to `returnTo`, which saves it the way. The library wants to see its cookie there, which
 * a browser sends nowhere else; it opens nothing without ours (`bindInteractions`).
 */
export const createResume = ({ find, baseUrl }: Pick<Serving, 'find' | 'baseUrl'>): Resume => {
  const base = new URL(baseUrl)
  return async (request, reply, { organizationId, uid, whenUsed }) => {
    const issuer = await find(organizationId)
    if (!issuer || request.raw.socket.destroyed) return false
    const { headers } = request.raw
    headers.cookie = `${resumeCookie}=${uid}; ${headers.cookie ?? ''}`
    gatheredFor(request.raw).whenUsed = whenUsed
    reply.raw.setHeader('referrer-policy', 'no-referrer')
    await pass(request, reply, issuer, { organizationId, path: `${routes.authorization}/${uid}`, base })
    return true
  }
}

/** `path`: below the issuer, with its query. */
type Passed = { organizationId: string; path: string; base: URL }

/**
 * Hands the request over as if the issuer were all there is, under a plain path. The library finds out where it is mounted
 * by comparing that with the original one.
 */
async function pass(
  request: FastifyRequest,
  reply: FastifyReply,
  issuer: Issuer,
  { organizationId, path, base }: Passed,
) {
  const raw = request.raw as IncomingMessage & { originalUrl?: string }
  raw.url = path
  raw.originalUrl = `${base.pathname.replace(/\/$/, '')}${issuerPath(organizationId)}${path}`
  callers.set(raw, { clientAddress: clientAddress(request), userAgent: request.headers['user-agent'] ?? '' })
  reply.hijack()
  reply.raw.setHeader('x-request-id', request.id)
  // As the shell does for all others, whose answers it sends itself.
  if (!request.server.server.listening) reply.raw.setHeader('connection', 'close')
  await issuer.handle(raw, reply.raw)
}
