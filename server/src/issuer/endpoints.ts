import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { isOriginOfApplication } from '../applications/index.ts'
import type { Database } from '../database/database.ts'
import { badRequest, methodNotAllowed, notFound } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { toApiError } from '../http/error-answer.ts'
import type { CallerLimit } from '../http/rate-limit.ts'
import { userAgentOf } from '../http/user-agent.ts'
import { isUuid } from '../runtime/identifiers.ts'
import { basePathOf, issuerOf, issuerPath, maxRequest, requestTooLong, routes } from './addresses.ts'
import type { Issuer } from './issuers.ts'
import { notePosted, signOutAnswer } from './posted-sign-out.ts'
import type { Caller } from './sign-in.ts'
import type { SignOutTokens } from './sign-out-token.ts'

/**
 * What the library serves of what it could. `by`: who calls it, which says what it counts as and how that is refused.
 * `origins`: pages of the organization's applications may read the answers. `readsForm`: a form is read here; all other bodies
 * are the library's to read.
 */
const endpoints: Endpoint[] = [
  { path: '/.well-known/openid-configuration', methods: ['GET', 'HEAD', 'OPTIONS'], by: 'application' },
  { path: routes.jwks, methods: ['GET', 'HEAD', 'OPTIONS'], by: 'application' },
  { path: routes.authorization, methods: ['GET', 'POST'], by: 'browser', readsForm: true },
  { path: `${routes.authorization}/:uid`, methods: ['GET'], by: 'browser' },
  { path: routes.token, methods: ['POST', 'OPTIONS'], by: 'application', origins: true },
  { path: routes.userinfo, methods: ['GET', 'POST', 'OPTIONS'], by: 'application', origins: true },
  { path: routes.revocation, methods: ['POST', 'OPTIONS'], by: 'application', origins: true },
  { path: routes.end_session, methods: ['GET', 'POST'], by: 'browser', readsForm: true },
  { path: signOutAnswer, methods: ['POST'], by: 'browser', readsForm: true },
  { path: `${routes.end_session}/confirm`, methods: ['POST'], by: 'browser' },
  { path: `${routes.end_session}/success`, methods: ['GET'], by: 'browser' },
]

type Endpoint = {
  path: string
  methods: string[]
  by: 'browser' | 'application'
  origins?: boolean
  readsForm?: boolean
}
/** Of what browsers ask, and of what applications do. */
export type Limits = { signIn: CallerLimit; token: CallerLimit }
type Params = { Params: { organization_id: string; uid?: string } }
type Serving = {
  database: Database
  baseUrl: string
  limits: Limits
  signOutTokens: SignOutTokens
  find: (organizationId: string) => Promise<Issuer | undefined>
}

/** An authorize request, or a sign-out with an ID token of ours as a hint. */
const maxFormBytes = 32_768
/** The form of our own page says it again, where a character may be encoded as three. */
const maxResponseBytes = 4 * maxFormBytes

const callers = new WeakMap<IncomingMessage, Caller>()

/** As the shell sees it, which knows the trusted proxies. */
export const callerOf = ({ req }: Pick<KoaContextWithOIDC, 'req'>): Caller =>
  callers.get(req) ?? { clientAddress: '', userAgent: '' }

/** In scopes of their own: most bodies the library reads by itself. */
export function serveEndpoints(app: FastifyInstance, serving: Serving) {
  for (const readsForm of [false, true])
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      if (readsForm) readForms(scope)
      else scope.addContentTypeParser('*', (_request, _body, done) => done(null))
      for (const endpoint of endpoints)
        if ((endpoint.readsForm ?? false) === readsForm) serveEndpoint(scope, endpoint, serving)
    })
}

const readForms = (scope: FastifyInstance) =>
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  )

function serveEndpoint(scope: FastifyInstance, endpoint: Endpoint, serving: Serving) {
  const { by, path, readsForm } = endpoint
  const limit = by === 'browser' ? serving.limits.signIn : serving.limits.token
  scope.all<Params>(`${issuerPath(':organization_id')}${path}`, {
    onRequest: async (request) => limit.takeAddress(clientAddress(request)),
    ...(by === 'application' && { errorHandler: refuseApplication }),
    ...(readsForm && { bodyLimit: path === signOutAnswer ? maxResponseBytes : maxFormBytes }),
    handler: async (request, reply) => {
      const issuer = await admit(request, endpoint, serving)
      limit.takeOrganization(request.params.organization_id)
      if (request.method === 'POST' && path === routes.authorization) return repeatByGet(request, reply, serving)
      await pass(request, reply, issuer, endpoint, serving)
    },
  })
}

/** Such a form comes from another site, without our cookies (OpenID Connect Core, 3.1.2.1). */
function repeatByGet(request: FastifyRequest<Params>, reply: FastifyReply, { baseUrl }: Serving) {
  const query = queryOf(request)
  if (query.length > maxRequest) throw badRequest(requestTooLong)
  const endpoint = `${issuerOf(baseUrl, request.params.organization_id)}${routes.authorization}`
  return reply.header('cache-control', 'no-store').redirect(`${endpoint}?${query}`, 303)
}

const formOf = ({ body }: FastifyRequest) => (body instanceof URLSearchParams ? body : new URLSearchParams())

/** With the fields of a form. */
function queryOf(request: FastifyRequest): string {
  const [, query = ''] = /\?(.*)$/s.exec(request.url) ?? []
  return [query, formOf(request).toString()].filter(Boolean).join('&')
}

/** An application is told as OAuth tells errors. All that is no matter of OAuth is in the envelope. */
function refuseApplication(error: unknown, _request: FastifyRequest, reply: FastifyReply) {
  const known = toApiError(error)
  if (known?.status !== 429 && known?.status !== 503) throw error
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
const isOrganizationId = (text: string) => isUuid(text) && text === text.toLowerCase()

/**
 * Hands the request over as if the issuer were all there is, under its plain path. The library finds out where it is mounted
 * by comparing that with the original one.
 */
async function pass(
  request: FastifyRequest<Params>,
  reply: FastifyReply,
  issuer: Issuer,
  endpoint: Endpoint,
  { baseUrl, signOutTokens }: Serving,
) {
  const raw = request.raw as IncomingMessage & { originalUrl?: string }
  const { organization_id: organizationId, uid = '' } = request.params
  const isPosted = endpoint.readsForm && request.method === 'POST'
  if (isPosted) notePosted(raw, { path: endpoint.path, form: formOf(request), organizationId }, signOutTokens)
  const path = isPosted ? routes.end_session : endpoint.path.replace(':uid', encodeURIComponent(uid))
  const query = queryOf(request)
  raw.url = `${path}${query && `?${query}`}`
  raw.originalUrl = `${basePathOf(baseUrl)}${issuerPath(organizationId)}${raw.url}`
  if (isPosted) raw.method = 'GET'
  // Whatever it says that it accepts: a person sees a page, and an application gets no page of the library's.
  raw.headers.accept = endpoint.by === 'browser' ? 'text/html' : 'application/json'
  callers.set(raw, { clientAddress: clientAddress(request), userAgent: userAgentOf(request) })
  reply.hijack()
  reply.raw.setHeader('x-request-id', request.id)
  // As the shell does for all others, whose answers it sends itself.
  if (!request.server.server.listening) reply.raw.setHeader('connection', 'close')
  await issuer.handle(raw, reply.raw)
}
