import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Signet, startOwnSignet } from '../support/signet.ts'

type Parameter = { in: string; name: string; required: boolean; description?: string; schema: object }
type Answer = { description: string; headers: object; content?: Record<string, { schema: object }> }
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: object }> }
  responses: Record<string, Answer>
}
type Schema = {
  $ref?: string
  type?: string
  description?: string
  additionalProperties?: unknown
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
}
type JwtSchema = { type: string; contentMediaType: string; contentSchema: { prefixItems: Reference[] } }
type Reference = { $ref: string }
type Document = {
  openapi: string
  info: { description: string }
  tags: { name: string; description: string }[]
  webhooks: Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: JwtSchema; example: string }> } } }
  >
  servers: { url: string }[]
  components: {
    schemas: Record<string, Schema>
    securitySchemes: Record<string, object>
    headers: Record<string, object>
  }
  paths: Record<string, Record<string, Operation>>
}

const inEnvelope = {
  'application/json': { schema: { $ref: '#/components/schemas/Errors' }, example: expect.any(Object) },
}

/** The ids are a promise: a change of this file is one of the interface. */
const operationIds = JSON.parse(readFileSync(`${import.meta.dirname}/operation-ids.json`, 'utf8'))

let signet: Signet
let document: Document
let operations: (Operation & { name: string; method: string; path: string })[]

beforeAll(async () => {
  signet = await startOwnSignet()
  document = (await signet.call('GET', '/openapi.json')).body
  operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({
      name: `${method} ${path}`,
      method,
      path,
      ...operation,
      parameters: operation.parameters?.map(resolve) ?? [],
      responses: Object.fromEntries(Object.entries(operation.responses).map(([code, its]) => [code, resolve(its)])),
    })),
  )
})

afterAll(() => signet?.stop())

/** What a part of the document is, and not only where it stands. */
const resolve = <Part>(part: Part): Part => {
  const { $ref } = part as { $ref?: string }
  if (!$ref) return part
  const names = $ref.slice(2).split('/')
  // biome-ignore lint/suspicious/noExplicitAny: a reference may lead anywhere
  return names.reduce((found: any, name) => found[name], document) as Part
}

const headersOf = ({ parameters = [] }: Operation) =>
  Object.fromEntries(parameters.filter((parameter) => parameter.in === 'header').map((each) => [each.name, each]))

describe('The document', () => {
  test('The document is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(await new Validator().validate(document)).toEqual({ valid: true })
  })

  test('The document names the address at which the service is reached', () => {
    expect(document.servers).toEqual([{ url: signet.baseUrl }])
  })

  test('The document has the three keys as headers, and ID tokens as bearer tokens (4, 5)', () => {
    const header = (name: string) => ({ type: 'apiKey', in: 'header', name, description: expect.any(String) })
    expect(document.components.securitySchemes).toEqual({
      organization: header('Service-OrgID'),
      key: header('Service-API-Key'),
      operator: header('Service-Operator-Key'),
      id_token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: expect.any(String) },
    })
  })

  // Proves 2.7/4.
  test('The document has the envelope of refusals (2.7, 7)', () => {
    expect(document.components.schemas.Errors).toMatchObject({
      type: 'object',
      required: ['errors'],
      properties: {
        errors: { type: 'array', items: { $ref: '#/components/schemas/Problem' } },
      },
    })
    expect(document.components.schemas.Problem).toMatchObject({
      required: ['httpcode', 'message'],
      properties: { httpcode: { type: 'integer' }, message: { type: 'string' } },
    })
  })

  test('The document describes each property of each schema, each tag, and what all operations have in common', () => {
    const all = Object.entries(document.components.schemas).flatMap(([name, schema]) => undescribedIn(schema, name))
    const inline = operations.flatMap(({ name, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((part) => {
        const schema = part?.content?.['application/json']?.schema
        return schema ? undescribedIn(schema, name) : []
      }),
    )
    expect([...all, ...inline]).toEqual([])
    const named = new Set(operations.flatMap(({ tags }) => tags))
    expect(
      document.tags
        .filter(({ description }) => description)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...named].toSorted())
    expect(document.info.description.length).toBeGreaterThan(1_000)
  })

  test('The document has the components that clients are generated from', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(
        ['Group', 'Person', 'Handle', 'Webhook', 'Trigger', 'Delivery', 'Attempt', 'ApiKey', 'Organization'].concat([
          ...['Credential', 'Application', 'Identity', 'Pagination', 'Errors'],
        ]),
      ),
    )
  })

  test('The document describes what is sent to webhooks: a JWT, by its header and claims, for the events and the hook (6.2, 6.3)', () => {
    const sent = ['AuthenticationSucceeded_v1', 'AuthenticationFailed_v1', 'VirtualPageLoaded_v1', 'PersonCreated_v1']
    expect(Object.keys(document.webhooks)).toEqual([
      ...sent,
      'PersonDeleted_v1',
      'PersonDeactivated_v1',
      'PersonActivated_v1',
      'PersonGroupsChanged_v1',
      'token_minted',
    ])
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      const { schema, example } = post.requestBody.content['application/jwt'] ?? {}
      expect(schema, name).toMatchObject({ type: 'string', contentMediaType: 'application/jwt' })
      const [header, claims] = (schema as JwtSchema).contentSchema.prefixItems.map(resolve) as [Schema, Schema]
      const [shownHeader, shownClaims] = partsOf(example as string)
      expect(Object.keys(shownHeader), name).toEqual(header.required)
      expect(Object.keys(shownClaims), name).toEqual(claims.required)
      const { trigger_content: content } = claims.properties as Record<string, Schema>
      expect(Object.keys(shownClaims.trigger_content), name).toEqual(Object.keys(resolve(content)?.properties ?? {}))
    }
  })
})

const partsOf = (jwt: string) =>
  jwt
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))

/** Where a property has no description, of its own or of what it refers to. */
function undescribedIn(schema: Schema, path: string): string[] {
  const inProperties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(property.description || resolve(property).description ? [] : [`${path}.${name}`]),
    ...undescribedIn(property, `${path}.${name}`),
  ])
  return [...inProperties, ...(schema.items ? undescribedIn(schema.items, `${path}[]`) : [])]
}

describe('Every operation', () => {
  test('Every operation has a summary, one tag, and an id of its own', () => {
    for (const { name, summary, tags } of operations) {
      expect(summary, name).toMatch(/^[A-Z].{5,80}[^.]$/)
      expect(tags, name).toHaveLength(1)
    }
    const ids = operations.map((operation) => operation.operationId)
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted())
  })

  // Proves 4.3/1.
  test('Every operation keeps the id that clients and programs know it by', () => {
    expect(Object.fromEntries(operations.map(({ name, operationId }) => [operationId, name]))).toEqual(operationIds)
  })

  // Proves 5, rule 1/1.
  test('Every operation names its keys: the organization with or without its API key and its scopes, or the operator; a public one needs none (5)', () => {
    const withIdToken = [{ organization: [] }, { organization: [], id_token: [] }]
    const scopes = expect.arrayContaining([expect.stringMatching(/^[a-z-]+:(read|write)$/)])
    const forms = [[{ organization: [], key: scopes }], [{ organization: [] }], withIdToken, [{ operator: [] }], []]
    const ofEachThing = [{ organization: [], key: [] }]
    for (const { name, path, security } of operations)
      expect(path === '/organizations/search' ? [ofEachThing] : forms, name).toContainEqual(security)
    const withoutKey = operations.filter(({ security }) => Object.keys(security[0] ?? {}).join() === 'organization')
    expect(withoutKey.map((operation) => operation.path)).toEqual([
      '/organizations/webhooks/verification-jwks',
      '/sdk/events',
    ])
    expect(withoutKey[1]?.security).toEqual(withIdToken)
    const open = operations.filter(({ security }) => security.length === 0)
    expect(open.map((operation) => operation.path)).toEqual([
      '/console/directory-link',
      '/console/directory-link/token',
      '/organizations/{id}/webhooks/verification-jwks',
      '/console/link',
      '/console/link/credential',
    ])
  })

  // Proves 4/3, 4/8, 4.1/3.
  test('Every operation that writes, and no other, takes the consistency headers (4)', () => {
    for (const operation of operations) {
      const headers = headersOf(operation)
      if (operation.method === 'get') {
        const isStream = 'text/event-stream' in (operation.responses['200']?.content ?? {})
        expect(Object.keys(headers), operation.name).toEqual(isStream ? ['Last-Event-ID'] : [])
        continue
      }
      expect(headers, operation.name).toMatchObject({
        'Service-Required-Consistency': {
          required: false,
          schema: { enum: ['local_region', 'all_regions'], default: 'local_region' },
        },
        'Service-Required-Consistency-Timeout': {
          required: false,
          schema: { type: 'integer', minimum: 1, maximum: 120, default: 30 },
        },
      })
      expect(operation.responses, operation.name).toHaveProperty('408')
    }
  })

  test('Every operation describes each parameter of its path, and each header', () => {
    for (const { name, path, parameters = [] } of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      expect(
        inPath.map((parameter) => `{${parameter.name}}`),
        name,
      ).toEqual(path.match(/\{\w+\}/g) ?? [])
      for (const parameter of parameters)
        if (parameter.in !== 'query') expect(parameter.description, `${name} ${parameter.name}`).toBeTruthy()
    }
  })

  // Proves 7/1.
  test('Every operation has one success, and its refusals in the envelope (7)', () => {
    for (const { name, responses } of operations) {
      const codes = Object.keys(responses).map(Number)
      expect(
        codes.filter((code) => code < 400),
        name,
      ).toHaveLength(1)
      for (const code of codes.filter((each) => each >= 400))
        expect(responses[code], `${name} ${code}`).toMatchObject({
          description: expect.any(String),
          content: inEnvelope,
        })
    }
  })

  test('Every operation has the refusals of its kind (7)', () => {
    for (const { name, method, path, security, requestBody, responses } of operations) {
      const hasKey = security.some((schemes) => 'key' in schemes || 'operator' in schemes)
      const expected = [
        ...['400', '405', '500', '503', 'default'],
        ...(hasKey ? ['401'] : []),
        ...(path.includes('{') ? ['404'] : []),
        ...(requestBody ? ['413', '415'] : []),
        ...(method !== 'get' && 'key' in (security[0] ?? {}) ? ['403'] : []),
      ]
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(expected))
    }
  })

  test('Every operation has the headers of each reply: the request id, and with 405, 429 and 503 what to do then', () => {
    const headers = { 405: 'Allow', 429: 'Retry-After', 503: 'Retry-After' }
    for (const { name, responses } of operations)
      for (const [code, answer] of Object.entries(responses)) {
        const its = headers[Number(code) as keyof typeof headers]
        expect(Object.keys(answer.headers), `${name} ${code}`).toEqual(
          expect.arrayContaining(['X-Request-Id', ...(its ? [its] : [])]),
        )
      }
  })

  // Proves 7/8.
  test('Every operation that creates what a tier limits has 402 (4.3, 7)', () => {
    const limited = operations.filter((operation) => '402' in operation.responses).map((operation) => operation.name)
    expect(limited.toSorted()).toEqual(['post /groups', 'post /organizations/webhooks', 'post /persons'])
  })

  test('Every operation but that of a picture takes JSON, and refuses fields that it does not describe', () => {
    for (const { name, requestBody } of operations) {
      if (!requestBody) continue
      if (name === 'put /organizations/settings/logo') continue
      expect(Object.keys(requestBody.content), name).toEqual(['application/json'])
      const schema = resolve(requestBody.content['application/json']?.schema) as Schema
      expect(requestBody.required, name).toBe(schema.type !== 'object' || (schema.required ?? []).length > 0)
      if (schema.type === 'object') expect(schema.additionalProperties, name).toBe(false)
    }
  })
})

describe('The reference page', () => {
  const hosts = /(?:src|href)\s*=\s*["']?\s*(?:https?:)?\/\//i

  test('The reference page loads nothing from another host', async () => {
    const response = await fetch(`${signet.baseUrl}/docs`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    const page = await response.text()
    expect(page).not.toMatch(hosts)
    expect(page).not.toMatch(/@import|url\(/)
    const sources = [...page.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, source]) => source as string)
    expect(sources).toHaveLength(1)
    const script = await fetch(new URL(sources[0] as string, response.url))
    expect(script.status).toBe(200)
    expect(script.headers.get('content-type')).toMatch(/javascript/)
    expect((await script.arrayBuffer()).byteLength).toBeGreaterThan(100_000)
  })

  test('The reference page reads the document of this service, and loads neither fonts nor telemetry', async () => {
    const page = await (await fetch(`${signet.baseUrl}/docs`)).text()
    expect(page).toContain('"url": "../openapi.json"')
    expect(page).toContain('"withDefaultFonts": false')
    expect(page).toContain('"telemetry": false')
  })
})
