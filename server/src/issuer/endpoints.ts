import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { isOriginOfApplication } from '../applications/index.ts'
import type { Database } from '../database/database.ts'
import { methodNotAllowed, notFound } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { answerError, toApiError } from '../http/error-answer.ts'
import type { CallerLimit } from '../http/rate-limit.ts'
import { pageHeaders, pagesInstead, renderPage } from '../pages/index.ts'
import { basePathOf, issuerPath, routes } from './addresses.ts'
import type { Issuer } from './issuers.ts'
import type { Caller } from './sign-in.ts'

/**
 * What the library serves of what it could. `by`: who calls it, which says what it counts as and how that is refused.
 * `origins`: pages of the organization's applications may read the answers.
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
  const basePath = basePathOf(serving.baseUrl)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const endpoint of endpoints) {
      const limit = endpoint.by === 'browser' ? serving.limits.signIn : serving.limits.token
      scope.all<Params>(`${issuerPath(':organization_id')}${endpoint.path}`, {
        onRequest: async (request) => limit.takeAddress(clientAddress(request)),
        errorHandler: (error, request, reply) => refuse(error, request, reply, endpoint),
        handler: async (request, reply) => {
          const issuer = await admit(request, endpoint, serving)
          limit.takeOrganization(request.params.organization_id)
          await pass(request, reply, issuer, endpoint, basePath)
        },
      })
    }
  })
}

/** A person is shown a page; an application is told as OAuth tells errors. All that is no matter of OAuth is in the envelope. */
function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, { by }: Endpoint) {
  const known = toApiError(error)
  const page = known && pagesInstead[known.status]
  if (page && by === 'browser')
    return reply.code(known.status).headers(known.headers).headers(pageHeaders(page)).send(renderPage(page))
  if (!page) return answerError(error, request, reply)
  return reply
    .code(known.status)
    .headers({ ...known.headers, 'cache-control': 'no-store' })
    .send({ error: 'temporarily_unavailable', error_description: known.message })
}

async function admit(request: FastifyRequest<Params>, { methods, origins }: Endpoint, { database, find }: Serving) {
  if (!methods.includes(request.method)) throw methodNotAllowed(methods)
  const { organization_id } = request.params
  const issuer = isOrganizationId(organization_id) ? await find(organization_id) : undefined
  if (!issuer) throw notFound('issuer')
  const { origin } = request.headers
  // A foreign page is told nothing that it could read, and a program that sends any `Origin` is answered.
  if (origins && origin && !(await isOriginOfApplication(database.read, organization_id, origin)))
    delete request.raw.headers.origin
  return issuer
}

/** In its one spelling: an issuer is compared letter by letter. */
const isOrganizationId = (text: string) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text)

/**
 * Hands the request over as if the issuer were all there is, under its plain path. The library finds out where it is mounted
 * by comparing that with the original one.
 */
async function pass(
  request: FastifyRequest<Params>,
  reply: FastifyReply,
  issuer: Issuer,
  endpoint: Endpoint,
  basePath: string,
) {
  const { organization_id, uid = '' } = request.params
  const query = request.url.indexOf('?')
  const search = query < 0 ? '' : request.url.slice(query)
  const raw = request.raw as IncomingMessage & { originalUrl?: string }
  raw.url = `${endpoint.path.replace(':uid', encodeURIComponent(uid))}${search}`
  raw.originalUrl = `${basePath}${issuerPath(organization_id)}${raw.url}`
  // The library would show an application a page where it accepts one.
  if (endpoint.by === 'application') raw.headers.accept = 'application/json'
  callers.set(raw, { clientAddress: clientAddress(request), userAgent: request.headers['user-agent'] ?? '' })
  reply.hijack()
  reply.raw.setHeader('x-request-id', request.id)
  // As the shell does for all others, whose answers it sends itself.
  if (!request.server.server.listening) reply.raw.setHeader('connection', 'close')
  await issuer.handle(raw, reply.raw)
}
