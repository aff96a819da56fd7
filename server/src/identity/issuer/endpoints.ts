import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../ground/database/database.ts'
import { badRequest, methodNotAllowed, noIssuerHere, notFound } from '../../ground/errors.ts'
import { toApiError } from '../../ground/http/chain/error-reply.ts'
import { refusePrefetch } from '../../ground/http/chain/prefetch.ts'
import { userAgentOf } from '../../ground/http/chain/user-agent.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import type { CallerLimit } from '../../ground/http/socket/rate-limit.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { isOriginOfApplication } from '../applications/index.ts'
import { basePathOf, issuerOf, issuerPath, maxRequest, requestTooLong, routes } from './addresses.ts'
import type { Browser } from './contract.ts'
import { withoutExtraBlanks } from './extra-blanks.ts'
import { notePosted, type SignOutTokens, signOutAnswer } from './posted-sign-out.ts'

const discovery = '/.well-known/openid-configuration'
/** RFC 8414, 3.1. */
const oauthMetadata = '/.well-known/oauth-authorization-server'

/**
 * The endpoints of an issuer; the library serves no others. `by`: who calls it, which decides its rate limit and the form of
 * errors. `at`: stands before the path of the issuer, in place of `path` behind it. `origins`: pages of the organization's applications
 * may read the replies. `readsForm`: a form is parsed here; the library parses all other bodies.
 */
const endpoints: Endpoint[] = [
  { path: discovery, methods: ['GET', 'HEAD', 'OPTIONS'], by: 'application' },
  { path: discovery, at: oauthMetadata, methods: ['GET', 'HEAD', 'OPTIONS'], by: 'application' },
  { path: routes.jwks, methods: ['GET', 'HEAD', 'OPTIONS'], by: 'application' },
  { path: routes.authorization, methods: ['GET', 'POST'], by: 'browser', readsForm: true },
  { path: `${routes.authorization}/:uid`, methods: ['GET'], by: 'browser' },
  { path: routes.token, methods: ['POST', 'OPTIONS'], by: 'application', origins: true },
  { path: routes.userinfo, methods: ['GET', 'POST', 'OPTIONS'], by: 'application', origins: true },
  { path: routes.revocation, methods: ['POST', 'OPTIONS'], by: 'application', origins: true },
  { path: routes.introspection, methods: ['POST'], by: 'application' },
  { path: routes.end_session, methods: ['GET', 'POST'], by: 'browser', readsForm: true },
  { path: signOutAnswer, methods: ['POST'], by: 'browser', readsForm: true },
  { path: `${routes.end_session}/confirm`, methods: ['POST'], by: 'browser' },
  { path: `${routes.end_session}/success`, methods: ['GET'], by: 'browser' },
]

type Endpoint = {
  path: string
  at?: string
  methods: string[]
  by: 'browser' | 'application'
  origins?: boolean
  readsForm?: boolean
}
/** Rate limits of browsers and of applications. */
export type Limits = { signIn: CallerLimit; token: CallerLimit }
type Params = { Params: { organization_id: string; uid?: string } }
/** One organization's issuer: the library's request handler. */
export type Issuer = { handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> }
type Serving = {
  database: Database
  baseUrl: string
  limits: Limits
  signOutTokens: SignOutTokens
  find: (organizationId: string) => Promise<Issuer | undefined>
  /** Throws a 423 where the organization has moved to another cell, or is on the way. */
  refuseIfMoving: (organizationId: string) => Promise<void>
}

/** An authorize request, or a sign-out with an ID token of ours as a hint. */
const maxFormBytes = 32_768
/** The form of our own page repeats it, and may encode a character as three. */
const maxResponseBytes = 4 * maxFormBytes

/** In characters, each of which is a byte of the header; a longer `Referer` is cut. */
const maxLocation = 2_048

const browsers = new WeakMap<IncomingMessage, Browser>()

/** The browser as Fastify sees it: the library does not know the trusted proxies. */
export const browserOf = ({ req }: { req: IncomingMessage }): Browser =>
  browsers.get(req) ?? { clientAddress: '', userAgent: '', windowLocation: '' }

const readBrowser = (request: FastifyRequest): Browser => ({
  clientAddress: clientAddress(request),
  userAgent: userAgentOf(request),
  windowLocation: (request.headers.referer ?? '').slice(0, maxLocation),
})

/** Two Fastify scopes: the library parses most bodies itself. */
export function serveEndpoints(app: FastifyInstance, serving: Serving) {
  serveMisplacedDiscovery(app, serving)
  for (const readsForm of [false, true])
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      if (readsForm) readForms(scope)
      else scope.addContentTypeParser('*', (_request, _body, done) => done(null))
      for (const endpoint of endpoints)
        if ((endpoint.readsForm ?? false) === readsForm) serveEndpoint(scope, endpoint, serving)
    })
}

/** Where a client looks that was given another address for the issuer: the base URL, or one with a slash at its end. */
const misplaced = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'].flatMap((path) => [
  path,
  `/oidc${path}`,
  `${issuerPath(':organization_id')}/${path}`,
])

function serveMisplacedDiscovery(app: FastifyInstance, { baseUrl, limits }: Serving) {
  for (const path of misplaced)
    app.get<{ Params: { organization_id?: string } }>(path, async (request) => {
      limits.token.takeAddress(clientAddress(request))
      const { organization_id: given = '' } = request.params
      throw noIssuerHere(issuerOf(baseUrl, isUuid(given) ? given.toLowerCase() : '<organization ID>'))
    })
}

const readForms = (scope: FastifyInstance) =>
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  )

function serveEndpoint(scope: FastifyInstance, endpoint: Endpoint, serving: Serving) {
  const { by, path, at, readsForm } = endpoint
  const issuer = issuerPath(':organization_id')
  const limit = by === 'browser' ? serving.limits.signIn : serving.limits.token
  scope.all<Params>(at ? at + issuer : issuer + path, {
    onRequest: async (request) => {
      limit.takeAddress(clientAddress(request))
      if (by === 'browser') await refusePrefetch(request)
    },
    ...(by === 'application' && { errorHandler: refuseApplication }),
    ...(readsForm && { bodyLimit: path === signOutAnswer ? maxResponseBytes : maxFormBytes }),
    handler: async (request, reply) => {
      const issuer = await checkRequest(request, endpoint, serving)
      limit.takeOrganization(request.params.organization_id)
      if (request.method === 'POST' && path === routes.authorization) return repeatByGet(request, reply, serving)
      await handOver(request, reply, issuer, endpoint, serving)
    },
  })
}

/** An authorize request by POST comes from another site, without our cookies (OpenID Connect Core, 3.1.2.1). */
function repeatByGet(request: FastifyRequest<Params>, reply: FastifyReply, { baseUrl }: Serving) {
  const query = queryOf(request)
  if (query.length > maxRequest) throw badRequest('invalid_value', requestTooLong)
  const endpoint = `${issuerOf(baseUrl, request.params.organization_id)}${routes.authorization}`
  return reply.header('cache-control', 'no-store').redirect(`${endpoint}?${query}`, 303)
}

const formOf = ({ body }: FastifyRequest) => (body instanceof URLSearchParams ? body : new URLSearchParams())

/** The query, with the fields of a form. */
function queryOf(request: FastifyRequest): string {
  const [, query = ''] = /\?(.*)$/s.exec(request.url) ?? []
  return [query, formOf(request).toString()].filter(Boolean).join('&')
}

/** What becomes an OAuth error, by its status (RFC 6749, 5.2); all others stay in the envelope of the API. */
const oauthErrors: Record<number, string> = {
  405: 'invalid_request',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
}

function refuseApplication(failure: unknown, _request: FastifyRequest, reply: FastifyReply) {
  const known = toApiError(failure)
  const error = known && oauthErrors[known.status]
  if (!known || !error) throw failure
  return reply
    .code(known.status)
    .headers({ ...known.headers, 'cache-control': 'no-store' })
    .send({ error, error_description: known.message })
}

async function checkRequest(
  request: FastifyRequest<Params>,
  { methods, origins }: Endpoint,
  { database, find, refuseIfMoving }: Serving,
) {
  if (!methods.includes(request.method)) throw methodNotAllowed(methods)
  const { organization_id } = request.params
  const issuer = isOrganizationId(organization_id) ? await find(organization_id) : undefined
  if (!issuer && isOrganizationId(organization_id)) await refuseIfMoving(organization_id)
  if (!issuer) throw notFound('issuer')
  const { origin } = request.headers
  // Without `Origin` the reply has no CORS headers: a foreign page cannot read it, and a program gets it all the same.
  if (origins && origin && !(await isOriginOfApplication(database.read, organization_id, origin)))
    delete request.raw.headers.origin
  return issuer
}

/** In lower case only: clients compare an issuer character by character. */
const isOrganizationId = (text: string) => isUuid(text) && text === text.toLowerCase()

/**
 * Hands the request to the library under its path below the issuer. The library compares that with `originalUrl` to find out
 * where it is mounted.
 */
async function handOver(
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
  const query = endpoint.path === routes.authorization ? withoutExtraBlanks(queryOf(request)) : queryOf(request)
  raw.url = `${path}${query && `?${query}`}`
  raw.originalUrl = `${basePathOf(baseUrl)}${issuerPath(organizationId)}${raw.url}`
  if (isPosted) raw.method = 'GET'
  // Whatever the client accepts: a person sees a page, and an application never gets one.
  raw.headers.accept = endpoint.by === 'browser' ? 'text/html' : 'application/json'
  browsers.set(raw, readBrowser(request))
  reply.hijack()
  reply.raw.setHeader('x-request-id', request.id)
  // Fastify does so for the replies that it sends itself.
  if (!request.server.server.listening) reply.raw.setHeader('connection', 'close')
  await issuer.handle(raw, reply.raw)
}
