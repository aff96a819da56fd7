import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { version } from '../version.ts'
import { type Asset, makeAsset, sendAsset } from './asset.ts'
import { clientAddress } from './client-address.ts'
import { timeoutRange } from './consistency.ts'
import { pathOf } from './error-answer.ts'
import { type Operation, writes } from './operation.ts'
import type { CallerLimit } from './rate-limit.ts'
import { ErrorEnvelope } from './schemas.ts'

type RouteSchema = { response: Record<number, TSchema>; operation?: Operation }

/** What every writing operation takes (4, common header parameters). */
const consistencyHeaders = {
  'Service-Required-Consistency': Type.Optional(
    Type.Enum(['local_region', 'all_regions'], {
      default: 'local_region',
      description: 'Wait until the change is committed in the local region, or until all regions have it.',
    }),
  ),
  'Service-Required-Consistency-Timeout': Type.Optional(
    Type.Integer({
      minimum: timeoutRange.least,
      maximum: timeoutRange.most,
      default: timeoutRange.standard,
      description: 'Seconds to wait for that. Then the answer is 408, and the change may still be made.',
    }),
  ),
}
const correlationHeader = {
  'Service-Correlation-Id': Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Becomes the `analytics_correlation_id` of the events that the request causes. Default: a new one.',
    }),
  ),
}

/** `/openapi.json` from the very schemas that validate, and `/docs`, a reference page that works offline. */
export async function documentOperations(app: FastifyInstance, baseUrl: string, callers: CallerLimit) {
  app.addSchema({ $id: 'Errors', ...ErrorEnvelope })
  await app.register(swagger, {
    refResolver: { buildLocalReference: (schema) => String(schema.$id) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Signet',
        version,
        description: 'Self-hosted, multi-tenant identity service with signed, durable webhooks.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          organization: { type: 'apiKey', in: 'header', name: 'Service-OrgID' },
          key: { type: 'apiKey', in: 'header', name: 'Service-API-Key' },
          operator: { type: 'apiKey', in: 'header', name: 'Service-Operator-Key' },
          id_token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        },
      },
    },
    transform: ({ schema, url }) => ({ schema: describe(schema as RouteSchema | undefined) as never, url }),
  })
  const served = {
    schema: { hide: true } as object,
    onRequest: async (request: FastifyRequest) => callers.takeAddress(clientAddress(request)),
  }
  const document = once(() => makeAsset(Buffer.from(JSON.stringify(app.swagger())), { 'content-type': jsonType }))
  app.get('/openapi.json', served, async (request, reply) => sendAsset(request, reply, await document()))
  const page = once(buildReferencePage)
  // Relative, for a proxy may have taken off what the browser's address begins with.
  app.get('/docs', served, async (_request, reply) => reply.redirect('docs/', 301))
  app.get('/docs/*', served, async (request, reply) => {
    const asset = (await page()).get(pathOf(request))
    return asset ? sendAsset(request, reply, asset) : reply.callNotFound()
  })
  // Not relative to the address, which need not end in the slash that was passed on.
  app.get('/', served, async (_request, reply) => reply.redirect(new URL(`${baseUrl}/docs`).pathname, 303))
}

const jsonType = 'application/json; charset=utf-8'

/** Made when somebody first asks; anew, where that failed. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

/**
 * The page at `/docs`, with its script, from a package: nothing is fetched from elsewhere. The script alone is 4 MB, which no
 * process keeps in memory that is not asked for it.
 */
async function buildReferencePage(): Promise<Map<string, Asset>> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const configuration = { url: '../openapi.json', withDefaultFonts: false, telemetry: false, hideClientButton: true }
  const page = fastify()
  await page.register(reference, { routePrefix: '/docs', configuration: configuration as never })
  const paths = ['/docs/', '/docs/js/scalar.js']
  return new Map(await Promise.all(paths.map(async (path) => [path, await toAsset(page, path)] as const)))
}

async function toAsset(page: FastifyInstance, path: string): Promise<Asset> {
  const { headers, rawPayload } = await page.inject(path)
  const type = String(headers['content-type'])
  const policy = type.startsWith('text/html') ? { 'content-security-policy': policyFor(rawPayload.toString()) } : {}
  return makeAsset(rawPayload, { 'content-type': type, ...policy })
}

/** The page's library writes its styles into the document. Otherwise nothing runs, or is loaded, but what is our own. */
function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map(([, script = '']) => script)
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

function describe(schema: RouteSchema | undefined) {
  if (!schema?.operation) return { hide: true }
  const { operation, ...parts } = schema
  return {
    ...parts,
    operationId: operationId(operation),
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    security: securityOf(operation),
    ...(writes(operation) ? { headers: Type.Object(writeHeaders(operation)) } : {}),
    response: withStatusText({ ...parts.response, ...refusals(operation) }),
  }
}

function securityOf({ access, takesIdToken }: Operation): Record<string, string[]>[] {
  if (access === 'operator') return [{ operator: [] }]
  if (access === 'key') return [{ organization: [], key: [] }]
  return takesIdToken ? [{ organization: [] }, { organization: [], id_token: [] }] : [{ organization: [] }]
}

const writeHeaders = ({ access }: Operation) =>
  access === 'operator' ? consistencyHeaders : { ...consistencyHeaders, ...correlationHeader }

function refusals(operation: Operation) {
  const codes = new Set(operation.refusals ?? [])
  codes.add(400).add(500).add(503)
  if (operation.access !== 'organization') codes.add(401)
  if (operation.access === 'key' && writes(operation)) codes.add(403)
  if (writes(operation)) codes.add(408).add(413).add(415)
  if (operation.params || operation.access === 'organization') codes.add(404)
  // What is refused of any request, whatever it asks for: its headers are too large (431), an expectation is not known (417).
  return Object.fromEntries([...codes, 'default'].map((code) => [code, { $ref: 'Errors#' }]))
}

const withStatusText = (responses: Record<number, object>) =>
  Object.fromEntries(
    Object.entries(responses).map(([code, schema]) => [
      code,
      { description: STATUS_CODES[code] ?? 'The request is refused.', ...schema },
    ]),
  )

/** `POST /persons/:person_id/groups` → `post_persons_person_id_groups`: stable, and unique as the route is. */
const operationId = ({ method, path }: Operation) => `${method.toLowerCase()}${path.replaceAll(/[/:-]+/g, '_')}`
