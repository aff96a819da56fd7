import { isStream } from '../../support/event-stream.ts'
import type { Client } from '../../support/signet.ts'

type Parameter = { in: 'path' | 'query' | 'header'; name: string; required?: boolean; example?: unknown }

/** An operation as the OpenAPI document has it. */
export type Operation = {
  id: string
  /** `GET /groups` */
  name: string
  method: string
  path: string
  /** `path`: anybody, for the organization in the path; `link`: whoever has one. */
  access: 'operator' | 'key' | 'organization' | 'path' | 'link'
  /** What a key needs. */
  scopes: string[]
  isAdminOnly: boolean
  parameters: Parameter[]
  /** A body that is accepted. */
  example: unknown
  /** Of the answers that the document tells of. */
  statuses: string[]
}

type Described = {
  operationId: string
  description?: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: object
}

export async function readOperations(client: Client): Promise<Operation[]> {
  const { body } = await client.call('GET', '/openapi.json')
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod)
      .filter(([, described]) => !isStream(described))
      .map(([verb, described]) => toOperation(path, verb.toUpperCase(), described)),
  )
}

function toOperation(path: string, method: string, described: Described): Operation {
  const { operationId: id, security, parameters = [], requestBody, responses, description = '' } = described
  const needed = security[0] ?? {}
  const anybody = /^\/console\/(directory-)?link/.test(path) ? 'link' : 'path'
  return {
    id,
    name: `${method} ${path}`,
    method,
    path,
    parameters,
    statuses: Object.keys(responses),
    access: (['operator', 'key', 'organization'] as const).find((each) => each in needed) ?? anybody,
    scopes: needed.key ?? [],
    isAdminOnly: description.endsWith(', and only admin keys.'),
    example: requestBody?.content['application/json']?.example,
  }
}
