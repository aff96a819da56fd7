import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { type Operation, writes } from './operation.ts'
import { ErrorEnvelope } from './schemas.ts'

type RouteSchema = { response: Record<number, TSchema>; operation?: Operation }

/** `/openapi.json` from the very schemas that validate, and `/docs`, a reference page that works offline. */
export async function documentOperations(app: FastifyInstance, baseUrl: string) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Signet',
        version: '0.1.0',
        description: 'Self-hosted, multi-tenant identity service with signed, durable webhooks.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          organization: { type: 'apiKey', in: 'header', name: 'Service-OrgID' },
          key: { type: 'apiKey', in: 'header', name: 'Service-API-Key' },
          operator: { type: 'apiKey', in: 'header', name: 'Service-Operator-Key' },
        },
      },
    },
    transform: ({ schema, url }) => ({ schema: describe(schema as RouteSchema | undefined) as never, url }),
  })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  await app.register(async (docs) => {
    const { default: reference } = await import('@scalar/fastify-api-reference')
    await docs.register(reference, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
      } as never,
    })
  })
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
    security: [securityOf(operation)],
    response: { ...parts.response, ...refusals(operation) },
  }
}

function securityOf({ access }: Operation): Record<string, string[]> {
  if (access === 'operator') return { operator: [] }
  return access === 'key' ? { organization: [], key: [] } : { organization: [] }
}

function refusals(operation: Operation) {
  const codes = new Set(operation.refusals ?? [])
  codes.add(400).add(500)
  if (operation.access !== 'organization') codes.add(401)
  if (operation.access === 'key' && writes(operation)) codes.add(403)
  if (writes(operation)) codes.add(408)
  if (operation.params || operation.access === 'organization') codes.add(404)
  return Object.fromEntries([...codes].map((code) => [code, ErrorEnvelope]))
}

/** `POST /persons/:person_id/groups` → `post_persons_person_id_groups`: stable, and unique as the route is. */
const operationId = ({ method, path }: Operation) => `${method.toLowerCase()}${path.replaceAll(/[/:-]+/g, '_')}`
