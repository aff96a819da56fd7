import { describe, expect, test } from 'vitest'
import { compareDocuments } from './compare-documents.ts'
import { type Document, reduceDocument, type Schema } from './document.ts'

const json = (schema: Schema) => ({ 'application/json': { schema } })
const referTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

const document: Document = {
  openapi: '3.1.1',
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        security: [{ organization: [], key: ['things:read'] }],
        parameters: [referTo('parameters', 'Limit')],
        responses: { 200: { content: json({ type: 'string' }) }, 404: referTo('responses', 'NotFound') },
      },
      post: {
        operationId: 'createThing',
        security: [],
        parameters: [],
        requestBody: { required: false, content: json(referTo('schemas', 'Thing')) },
        responses: { 201: { headers: { Location: {} }, content: json(referTo('schemas', 'Thing')) } },
      },
    },
  },
  webhooks: { Made_v1: { post: { requestBody: { required: true, content: json(referTo('schemas', 'Thing')) } } } },
  components: {
    parameters: { Limit: { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } } },
    responses: { NotFound: { headers: { 'X-Request-Id': {} }, content: json({ type: 'object' }) } },
    schemas: { Thing: { type: 'object', properties: { name: { type: 'string' } } } },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'Key' } },
  },
}

type Parts = ReturnType<typeof partsOf>
const partsOf = (changed: Document) => {
  const { get, post } = changed.paths['/things'] as Record<'get' | 'post', Document['paths'][string][string]>
  const { Limit, Thing, NotFound } = {
    ...changed.components.parameters,
    ...changed.components.schemas,
    ...changed.components.responses,
  }
  // biome-ignore lint/suspicious/noExplicitAny: a test changes what it likes
  return { changed, get, post, Limit, Thing, NotFound } as any
}

describe('An interface of which a part is taken away', () => {
  test.each<[string, (parts: Parts) => void]>([
    ['GET /things is gone: breaks clients that call it', ({ changed }) => delete changed.paths['/things'].get],
    ['POST /things is gone: breaks clients that call it', ({ changed }) => delete changed.paths['/things']],
    [
      'GET /things has the id getThings in place of listThings: breaks generated clients',
      ({ get }) => (get.operationId = 'getThings'),
    ],
    [
      'GET /things needs more than organization and key with things:read: breaks keys that may call it',
      ({ get }) => (get.security = [{ organization: [], key: ['things:read', 'things:list'] }]),
    ],
    [
      'key has the name Other-Key in place of Key: breaks clients that send it',
      ({ changed }) => (changed.components.securitySchemes.key.name = 'Other-Key'),
    ],
    ['POST /things needs a key now: breaks clients without one', ({ post }) => (post.security = [{ key: [] }])],
    ['GET /things limit is gone: breaks clients that send it', ({ get }) => (get.parameters = [])],
    [
      'GET /things limit may not be integer any more: breaks clients that send it',
      ({ Limit }) => (Limit.schema = { type: 'string' }),
    ],
    ['GET /things needs limit now: breaks clients that do not send it', ({ Limit }) => (Limit.required = true)],
    [
      'GET /things needs order now: breaks clients that do not send it',
      ({ get }) => get.parameters.push({ name: 'order', in: 'query', required: true, schema: {} }),
    ],
    ['POST /things needs a body now: breaks clients that send none', ({ post }) => (post.requestBody.required = true)],
    [
      'POST /things body has no application/json any more: breaks clients that use it',
      ({ post }) => delete post.requestBody,
    ],
    [
      'GET /things needs a body now: breaks clients that send none',
      ({ get }) => (get.requestBody = { required: true, content: {} }),
    ],
    ['Thing.name is gone: breaks clients that send it', ({ Thing }) => delete Thing.properties.name],
    ['Thing.name is gone: breaks clients that read it', ({ Thing }) => delete Thing.properties.name],
    ['Thing.name is gone: breaks receivers that read it', ({ Thing }) => delete Thing.properties.name],
    [
      'POST /things may be answered 202 now: breaks clients that do not expect it',
      ({ post }) => (post.responses['202'] = {}),
    ],
    [
      'GET /things is not answered 404 any more: breaks clients that expect it',
      ({ get }) => delete get.responses['404'],
    ],
    [
      'GET /things 404 has no header X-Request-Id any more: breaks clients that read it',
      ({ NotFound }) => (NotFound.headers = {}),
    ],
    [
      'GET /things 200 has no application/json any more: breaks clients that use it',
      ({ get }) => (get.responses['200'].content = {}),
    ],
    [
      'GET /things 404 may be string now: breaks clients that read it',
      ({ NotFound }) => (NotFound.content = json({ type: 'string' })),
    ],
    ['Made_v1 is not sent any more: breaks receivers that wait for it', ({ changed }) => (changed.webhooks = {})],
  ])('%s', (problem, change) => {
    const changed = structuredClone(document)
    change(partsOf(changed))
    expect(compareDocuments(document, changed)).toContain(problem)
  })
})

test('An interface that only grows is kept', () => {
  const grown = structuredClone(document)
  const { get, post, Thing } = partsOf(grown)
  get.parameters.push({ name: 'order', in: 'query', required: false, schema: { type: 'string' } })
  get.security.push({ operator: [] })
  post.responses['409'] = { content: json({}) }
  Thing.properties.size = { type: 'integer' }
  grown.paths['/others'] = grown.paths['/things'] as Document['paths'][string]
  expect(compareDocuments(document, document)).toEqual([])
  expect(compareDocuments(document, grown)).toEqual([])
})

test('A keyword that no rule compares is refused', () => {
  const odd = structuredClone(document)
  odd.components.schemas.Thing = { ...odd.components.schemas.Thing, multipleOf: 2 } as Schema
  expect(() => reduceDocument(odd)).toThrow('no rule compares the keyword multipleOf of schemas')
})
