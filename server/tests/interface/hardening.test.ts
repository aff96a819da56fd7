import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

/** What a body of 1 MiB may take, many times over: with work that grows with the square of it, it took minutes. */
const limitMs = 20_000
const mebibyte = 1_048_576

let signet: Signet
let organization: Organization

beforeAll(async () => {
  signet = await startOwnSignet({ env: { SIGNET_RATE_TEST_EVENTS: '10/5' } })
  organization = await signet.organization()
})

afterAll(() => signet?.stop())

const post = (path: string, body: string) => signet.as(organization, 'POST', path, body)
/** As many of them as a body may hold. */
const arrayOf = (item: string) => `[${Array(Math.floor((mebibyte - 200) / (item.length + 1))).fill(item)}]`
const objectOf = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, 1])))
const nested = (depth: number) => `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`

describe('A body that is wrong in very many places (4)', () => {
  const webhook = '"name":"a","target_url":"https://example.com"'
  const longName = 'n'.repeat(500_000)
  const list = 'must be an array of at most'

  test.each<[string, string, string, string]>([
    ['an array of numbers', '/persons', `{"handles":${arrayOf('1')}}`, `handles: ${list} 20 handles`],
    ['an array of objects', '/persons', `{"handles":${arrayOf('{}')}}`, `handles: ${list} 20 handles`],
    ['unknown fields', '/persons', objectOf(80_000), 'body: must have at most 1000 fields'],
    [
      'wrong values under a long name',
      '/organizations/webhooks',
      `{${webhook},"custom_headers":{"${longName}":[${Array(1_000).fill('1')}]}}`,
      `custom_headers.${longName.slice(15, 200)}…[0]: must be a string`,
    ],
  ])(
    'A body with %s beyond all limits is refused at once (4)',
    { timeout: limitMs },
    async (_, path, body, message) => {
      expect(await post(path, body)).toMatchObject(refused(400, message))
    },
  )

  test('A smaller body is answered with all its problems, up to 50', async () => {
    const { status, body } = await post('/groups', objectOf(500))
    expect({ status, count: body.errors.length }).toEqual({ status: 400, count: 50 })
  })

  test('Text that cannot be stored is reported 50 times, with the beginning of a long path', {
    timeout: limitMs,
  }, async () => {
    const { status, body } = await post('/persons', `{"${longName}":[${Array(50_000).fill('"\\u0000"')}]}`)
    expect({ status, count: body.errors.length }).toEqual({ status: 400, count: 50 })
    expect(body.errors[0].message).toBe(`${longName.slice(0, 200)}…[0]: must not contain U+0000 or lone surrogates`)
  })
})

describe('A body that is nested deeply', () => {
  test.each([32, 20_000, 500_000])('A body nested to %i levels is refused (4)', async (depth) => {
    const message = `name${'[0]'.repeat(31)}: must not be nested deeper than 32 levels`
    expect(await post('/groups', nested(depth))).toMatchObject(refused(400, message))
  })

  test('A body nested to 31 levels is read', async () => {
    const { body } = await post('/groups', nested(31))
    expect(body.errors[0].message).toMatch(/^name: must be 2 to 100 characters/)
  })
})

describe('Test events (4.7)', () => {
  test.each([
    [
      '400,000 wrong items',
      `"authenticated_methods":[${Array(400_000).fill('1')}]`,
      'authenticated_methods[0]: must be a',
    ],
    ['900 unknown fields', objectOf(900).slice(1, -1), 'a0: is not a field of'],
  ])('A test event with %s is answered with 50 problems', { timeout: limitMs }, async (_, fields, message) => {
    const { status, body } = await post('/test-events', `[{"event_name":"AuthenticationSucceeded_v1",${fields}}]`)
    expect({ status, count: body.errors.length }).toEqual({ status: 400, count: 50 })
    expect(body.errors[0].message).toContain(message)
  })

  test('More test events than are allowed at once are 400, not 429, for they can never be allowed', async () => {
    const events = (count: number) => JSON.stringify(Array(count).fill({ event_name: 'PersonCreated_v1' }))
    expect(await post('/test-events', events(6))).toMatchObject(refused(400, 'body: must be an array of 1 to 5 events'))
    expect((await post('/test-events', events(5))).status).toBe(201)
  })
})

describe('A time (4.2)', () => {
  const add = (expires_at: string) => post('/organizations/api-keys', JSON.stringify({ expires_at }))

  test.each(['9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00+00:01', '0000-06-01T00:00:00Z'])(
    'The time %s, whose year in UTC is not one from 0001 to 9999, is refused',
    async (time) => {
      expect(await add(time)).toMatchObject(refused(400, 'expires_at: must be a time as in RFC 3339'))
    },
  )

  test('The last time of the year 9999 is accepted, and reads back as it was', async () => {
    const { status, body } = await add('9999-12-31T23:59:59.999Z')
    expect({ status, time: body.result.expires_at }).toEqual({ status: 201, time: '9999-12-31T23:59:59.999Z' })
  })
})

describe('A leap second (RFC 3339, 5.6)', () => {
  const leap = '2016-12-31T23:59:60Z'
  type Schema = { format?: string; $ref?: string; properties?: Record<string, Schema> }
  type Described = {
    operationId: string
    parameters?: { name: string; in: string; schema: Schema }[]
    requestBody?: { content: Record<string, { schema: Schema }> }
  }

  /** Each time that an operation takes, in its query or its body. */
  async function takenTimes() {
    const { paths, components } = (await signet.call('GET', '/openapi.json')).body
    const resolved = ({ $ref, ...schema }: Schema): Schema =>
      $ref ? components.schemas[$ref.replace('#/components/schemas/', '')] : schema
    const isTime = (schema: Schema) => resolved(schema).format === 'date-time'
    const operations = Object.entries<Record<string, Described>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    return operations.flatMap(({ path, method, operation: { parameters = [], requestBody } }) => {
      const inQuery = parameters.filter((each) => each.in === 'query' && isTime(each.schema)).map(({ name }) => name)
      const { properties = {} } = resolved(requestBody?.content['application/json']?.schema ?? {})
      const inBody = Object.keys(properties).filter((name) => isTime(properties[name] ?? {}))
      const call = { path: path.replaceAll(/\{\w+\}/g, '0199a3f2-5c00-7000-8000-0242ac120002'), method }
      return [
        ...inQuery.map((name) => ({ ...call, name, query: `?${name}=${leap}`, body: undefined })),
        ...inBody.map((name) => ({ ...call, name, query: '', body: { [name]: leap } })),
      ]
    })
  }

  test('A leap second is taken by every parameter and member that takes a time', async () => {
    const times = await takenTimes()
    const named = times.map(({ method, path, name }) => `${method} ${path} ${name}`)
    for (const known of [
      'GET /events since',
      'GET /organizations/audit-log until',
      'GET /organizations/statistics since',
    ])
      expect(named).toContain(known)
    expect(named.filter((name) => name.endsWith(' expires_at')).length).toBeGreaterThanOrEqual(2)
    for (const { method, path, name, query, body } of times) {
      const answer = await signet.as(organization, method, path + query, body)
      const messages = (answer.body?.errors ?? []).map(({ message }: { message: string }) => message)
      const isRefused = messages.some((message: string) => message.startsWith(`${name}: must be a time`))
      expect({ method, path, name, status: answer.status, isRefused }).toMatchObject({ isRefused: false })
      expect(answer.status, `${method} ${path} ${name}`).toBeLessThan(500)
    }
  })

  test('A leap second is stored as the end of the second before', async () => {
    const expires_at = '2199-12-31T23:59:60Z'
    const { status, body } = await signet.as(organization, 'POST', '/organizations/api-keys', { expires_at })
    expect({ status, time: body.result.expires_at }).toEqual({ status: 201, time: '2199-12-31T23:59:59.999Z' })
  })
})

describe('The reference page', () => {
  const get = (path: string) => fetch(`${signet.baseUrl}${path}`, { redirect: 'manual' })

  test.each([
    ['/docs', 301, null],
    ['/docs/', 200, 'text/html; charset=utf-8'],
    ['/docs/?a=b', 200, 'text/html; charset=utf-8'],
    ['/docs/js/scalar.js', 200, 'application/javascript; charset=utf-8'],
  ])('The path %s of the reference page is %i', async (path, status, type) => {
    const answer = await get(path)
    expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({ status, type })
  })

  test('An unknown path of the reference page is 404 in the envelope', async () => {
    expect(await signet.call('GET', '/docs/js/other.js')).toMatchObject(refused(404, 'path: no such operation'))
  })

  test('The reference page is served while many other clients do not read theirs', async () => {
    const { hostname, port } = new URL(signet.baseUrl)
    const stalled = Array.from({ length: 60 }, () => {
      const socket = connect(Number(port), hostname)
      socket.pause().write(`GET /docs/js/scalar.js HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
      return socket
    })
    try {
      expect((await (await get('/docs/js/scalar.js')).text()).length).toBeGreaterThan(mebibyte)
    } finally {
      for (const socket of stalled) socket.destroy()
    }
  })
})
