import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Signet, startOwnSignet } from '../support/signet.ts'

type Parameter = { in: string; name: string; required: boolean; description?: string; schema: object }
type Answer = { description: string; content?: Record<string, { schema: object }> }
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: object }> }
  responses: Record<string, Answer>
}
type Document = {
  openapi: string
  servers: { url: string }[]
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> }
  paths: Record<string, Record<string, Operation>>
}

const inEnvelope = { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } }

let signet: Signet
let document: Document
let operations: (Operation & { name: string; method: string; path: string })[]

beforeAll(async () => {
  signet = await startOwnSignet()
  document = (await signet.call('GET', '/openapi.json')).body
  operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ name: `${method} ${path}`, method, path, ...operation })),
  )
})

afterAll(() => signet?.stop())

const headersOf = ({ parameters = [] }: Operation) =>
  Object.fromEntries(parameters.filter((parameter) => parameter.in === 'header').map((each) => [each.name, each]))

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(await new Validator().validate(document)).toEqual({ valid: true })
  })

  test('names the address that the service is reached at', () => {
    expect(document.servers).toEqual([{ url: signet.baseUrl }])
  })

  test('has all operations that the interface has so far (4.3 to 4.8)', () => {
    const names = operations.map((operation) => operation.name)
    expect(names).toEqual(
      expect.arrayContaining([
        'post /groups',
        'put /persons/{person_id}/groups',
        'post /persons/{person_id}/groups',
        'post /organizations/webhooks',
        'post /organizations/webhooks/{webhook_id}/triggers',
        'post /test-events',
        'get /organizations/webhooks/verification-jwks',
      ]),
    )
  })

  test('has the three keys as headers, and ID tokens as bearer tokens (4, 5)', () => {
    const header = (name: string) => ({ type: 'apiKey', in: 'header', name })
    expect(document.components.securitySchemes).toEqual({
      organization: header('Service-OrgID'),
      key: header('Service-API-Key'),
      operator: header('Service-Operator-Key'),
      id_token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    })
  })

  test('has the envelope of refusals (2.7, 7)', () => {
    expect(document.components.schemas.Errors).toMatchObject({
      type: 'object',
      required: ['errors'],
      properties: {
        errors: {
          type: 'array',
          items: {
            required: ['httpcode', 'message'],
            properties: { httpcode: { type: 'integer' }, message: { type: 'string' } },
          },
        },
      },
    })
  })
})

describe('every operation', () => {
  test('has a summary, one tag, and an id of its own', () => {
    for (const { name, summary, tags, operationId } of operations) {
      expect(summary, name).toMatch(/^[A-Z].{5,80}[^.]$/)
      expect(tags, name).toHaveLength(1)
      expect(operationId, name).toMatch(/^[a-z][a-z_]+$/)
    }
    const ids = operations.map((operation) => operation.operationId)
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted())
  })

  test('names its keys: the organization with or without its API key, or the operator (5)', () => {
    const withIdToken = [{ organization: [] }, { organization: [], id_token: [] }]
    const forms = [[{ organization: [], key: [] }], [{ organization: [] }], withIdToken, [{ operator: [] }]]
    for (const { name, security } of operations) expect(forms, name).toContainEqual(security)
    const withoutKey = operations.filter(({ security }) => Object.keys(security[0] ?? {}).join() === 'organization')
    expect(withoutKey.map((operation) => operation.path)).toEqual([
      '/organizations/webhooks/verification-jwks',
      '/sdk/events',
    ])
    expect(withoutKey[1]?.security).toEqual(withIdToken)
  })

  test('that writes, and no other, takes the consistency headers (4)', () => {
    for (const operation of operations) {
      const headers = headersOf(operation)
      if (operation.method === 'get') {
        expect(headers, operation.name).toEqual({})
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

  test('describes each parameter of its path, and each header', () => {
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

  test('answers one success, and its refusals in the envelope (7)', () => {
    for (const { name, responses } of operations) {
      const codes = Object.keys(responses).map(Number)
      expect(
        codes.filter((code) => code < 400),
        name,
      ).toHaveLength(1)
      for (const code of codes.filter((each) => each >= 400))
        expect(responses[code], `${name} ${code}`).toEqual({ description: expect.any(String), content: inEnvelope })
    }
  })

  test('has the refusals of its kind (7)', () => {
    for (const { name, method, path, security, requestBody, responses } of operations) {
      const hasKey = !('organization' in (security[0] ?? {})) || 'key' in (security[0] ?? {})
      const expected = [
        '400',
        '500',
        ...(hasKey ? ['401'] : []),
        ...(path.includes('{') ? ['404'] : []),
        ...(requestBody ? ['413', '415'] : []),
        ...(method !== 'get' && 'key' in (security[0] ?? {}) ? ['403'] : []),
      ]
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(expected))
    }
  })

  test('that creates what a tier limits has 402 (4.3, 7)', () => {
    const limited = operations.filter((operation) => '402' in operation.responses).map((operation) => operation.name)
    expect(limited.toSorted()).toEqual(['post /groups', 'post /organizations/webhooks', 'post /persons'])
  })

  test('takes JSON, and refuses fields that it does not describe', () => {
    for (const { name, requestBody } of operations) {
      if (!requestBody) continue
      expect(requestBody.required, name).toBe(true)
      expect(Object.keys(requestBody.content), name).toEqual(['application/json'])
      const { schema } = requestBody.content['application/json'] as {
        schema: { type: string; additionalProperties?: boolean }
      }
      if (schema.type === 'object') expect(schema.additionalProperties, name).toBe(false)
    }
  })
})

describe('the reference page', () => {
  const hosts = /(?:src|href)\s*=\s*["']?\s*(?:https?:)?\/\//i

  test('is served, with nothing that comes from another host', async () => {
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

  test('reads the document of this service, and loads neither fonts nor telemetry', async () => {
    const page = await (await fetch(`${signet.baseUrl}/docs`)).text()
    expect(page).toContain('"url": "../openapi.json"')
    expect(page).toContain('"withDefaultFonts": false')
    expect(page).toContain('"telemetry": false')
  })
})
