import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { foreignOrigin, methodNotAllowed, notFound } from '../errors.ts'
import { clientAddress } from '../http/app.ts'
import { callerAt, createRateLimit, type Rate } from '../http/rate-limit.ts'
import type { Issuer } from './issuers.ts'
import { isOriginOfApplication } from './origin-store.ts'
import type { Origin } from './policy.ts'
import { issuerPath, routes } from './provider.ts'

/**
 * What the library serves of what it could. `limited`: a request to sign in counts. `origins`: answered to the origins of
 * the organization's applications only.
 */
const endpoints: Endpoint[] = [
  { path: '/.well-known/openid-configuration', methods: ['GET', 'HEAD', 'OPTIONS'] },
  { path: routes.jwks, methods: ['GET', 'HEAD', 'OPTIONS'] },
  { path: routes.authorization, methods: ['GET'], limited: true },
  { path: `${routes.authorization}/:uid`, methods: ['GET'] },
  { path: routes.token, methods: ['POST', 'OPTIONS'], origins: true },
  { path: routes.userinfo, methods: ['GET', 'POST', 'OPTIONS'], origins: true },
  { path: routes.revocation, methods: ['POST', 'OPTIONS'], origins: true },
  { path: routes.end_session, methods: ['GET'] },
  { path: `${routes.end_session}/confirm`, methods: ['POST'] },
  { path: `${routes.end_session}/success`, methods: ['GET'] },
]

type Endpoint = { path: string; methods: string[]; limited?: boolean; origins?: boolean }
type Serving = {
  database: Database
  clock: Clock
  baseUrl: string
  rate: Rate
  find: (organizationId: string) => Promise<Issuer | undefined>
}

const originsOf = new WeakMap<IncomingMessage, Origin>()

/** Where a request came from, as the shell sees it. */
export const originOf = ({ req }: Pick<KoaContextWithOIDC, 'req'>): Origin =>
  originsOf.get(req) ?? { clientAddress: '', userAgent: '' }

/** In a scope of its own: the library reads bodies by itself. */
export function serveEndpoints(app: FastifyInstance, serving: Serving) {
  const limit = createRateLimit(serving.clock, serving.rate)
  const base = new URL(serving.baseUrl)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const endpoint of endpoints)
      scope.all<Params>(
        `${issuerPath(':organization_id')}${endpoint.path}`,
        { schema: { hide: true } as object },
        async (request, reply) => {
          const issuer = await admit(request, endpoint, serving)
          if (endpoint.limited) limit.take(`${request.params.organization_id} ${callerAt(clientAddress(request))}`)
          await pass(request, reply, issuer, endpoint, base)
        },
      )
  })
}

type Params = { Params: { organization_id: string; uid?: string } }

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
 * Hands the request over as if the issuer were all there is, under its plain path. The library finds out where it is mounted
 * by comparing that with the original one.
 */
async function pass(
  request: FastifyRequest<Params>,
  reply: FastifyReply,
  issuer: Issuer,
  endpoint: Endpoint,
  base: URL,
) {
  const { organization_id, uid = '' } = request.params
  const query = request.url.indexOf('?')
  const search = query < 0 ? '' : request.url.slice(query)
  const raw = request.raw as IncomingMessage & { originalUrl?: string }
  raw.url = `${endpoint.path.replace(':uid', encodeURIComponent(uid))}${search}`
  raw.originalUrl = `${base.pathname.replace(/\/$/, '')}${issuerPath(organization_id)}${raw.url}`
  originsOf.set(raw, { clientAddress: clientAddress(request), userAgent: request.headers['user-agent'] ?? '' })
  reply.hijack()
  reply.raw.setHeader('x-request-id', request.id)
  if (!request.server.server.listening) reply.raw.setHeader('connection', 'close')
  await issuer.handle(raw, reply.raw)
}
