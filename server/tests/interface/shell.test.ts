import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ask,
  behindProxies,
  closeShell,
  credentials,
  database,
  jsonIn,
  newPerson,
  openShell,
  ours,
  patience,
  readOnly,
  signet,
  speak,
  theirs,
  uuidForm,
} from '../support/own-shell.ts'
import { refused } from '../support/refused.ts'
import type { Answer, Headings, Organization, Signet } from '../support/signet.ts'

beforeAll(openShell)
afterAll(closeShell)

const mebibyte = 1_048_576

const sql = async (...statements: string[]) => {
  const client = new pg.Client(database)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

describe('The envelope', () => {
  test('The envelope of a success holds result, and meta where it is a page (2.7)', async () => {
    const made = await ask('POST', '/groups', { name: 'envelope' })
    expect(Object.keys(made.body)).toEqual(['result'])
    const page = await ask('GET', '/groups')
    expect(Object.keys(page.body)).toEqual(['result', 'meta'])
    expect(page.body.meta).toEqual({ pagination: { limit: 100, offset: 0, total_count: expect.any(Number) } })
    expect((await ask('DELETE', '/groups/envelope')).body).toEqual({})
    expect((await ask('DELETE', `/persons/${await newPerson()}`)).body).toBeUndefined()
  })

  test.each<[string, number, string, () => Promise<Answer>]>([
    [
      'malformed JSON',
      400,
      'body: must be well-formed JSON: line 1, column 9: it ends too early',
      () => ask('POST', '/groups', '{"name":'),
    ],
    ['two JSON texts', 400, 'body: must be well-formed JSON: line 1, column 3', () => ask('POST', '/groups', '{}{}')],
    ['an empty body', 400, 'body: is required', () => ask('POST', '/groups', '')],
    ['no body for an object', 400, 'body: is required, and must be a JSON object', () => ask('POST', '/groups')],
    [
      'no body for an array',
      400,
      'body: is required, and must be an array of 1 to 50 events',
      () => ask('POST', '/test-events'),
    ],
    ['an array for an object', 400, 'body: must be an object', () => ask('POST', '/groups', [])],
    ['null for an object', 400, 'body: is required, and must be a JSON object', () => ask('POST', '/groups', 'null')],
    [
      'an unknown field',
      400,
      'nmae: is not a known field; did you mean name?',
      () => ask('POST', '/groups', { name: 'ab', nmae: 'ab' }),
    ],
    [
      'an unknown field of the query',
      400,
      'page: is not a known field; did you mean offset?',
      () => ask('GET', '/groups?page=2'),
    ],
    ['a missing field', 400, 'name: is required', () => ask('POST', '/groups', {})],
    ['an unknown route', 404, 'path: no such operation', () => ask('GET', '/nothing/here')],
    ['an unknown thing', 404, 'group: not found', () => ask('GET', '/groups/unknown')],
    ["another organization's thing", 404, 'person: not found', theirPerson],
  ])('The envelope reports %s: %i %s (7)', async (_name, status, message, request) => {
    const answer = await request()
    expect({ status: answer.status, body: answer.body }).toEqual(refused(status, message))
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  async function theirPerson() {
    const { body } = await signet.as(theirs, 'POST', '/persons', {})
    return ask('GET', `/persons/${body.result.person_id}`)
  }

  test('The envelope has an entry for each thing wrong, which names the field and the rule (7)', async () => {
    const answer = await ask('POST', '/groups', { name: '-', description: 'x'.repeat(1_001), x: 1, y: 2 })
    expect(answer).toMatchObject(
      refused(
        400,
        'x: is not a known field',
        'y: is not a known field',
        'name: must be 2 to 100 characters of A-Z a-z 0-9 - _ . and start and end with a letter or digit',
        'description: must be at most 1000 characters',
      ),
    )
  })

  test.each(['text/plain', 'application/xml', 'application/jsonx', 'application/x-www-form-urlencoded', 'json', ''])(
    'The content type %j is 415',
    async (type) => {
      const answer = await ask('POST', '/groups', '{"name":"ab"}', { 'content-type': type })
      expect(answer).toMatchObject(refused(415, 'Content-Type: must be application/json'))
    },
  )

  test.each(['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8'])(
    'The content type %s is accepted (4.3)',
    async (type) => {
      expect((await ask('POST', '/groups', '{"name":"type"}', { 'content-type': type })).status).toBe(201)
    },
  )

  test('A body over 1 MiB is 413, and one of 1 MiB is read', async () => {
    const bodyOf = (size: number) => `{"x":"${'x'.repeat(size - 8)}"}`
    expect(await ask('POST', '/groups', bodyOf(mebibyte))).toMatchObject({ status: 400 })
    const refusal = refused(413, 'body: must be at most 1 MiB')
    expect(await ask('POST', '/groups', bodyOf(mebibyte + 1))).toMatchObject(refusal)
  })

  test.each([
    ['PUT', '/groups', 'GET, POST'],
    ['POST', '/groups/staff', 'DELETE, GET, PATCH'],
    ['DELETE', '/persons/x/groups', 'GET, POST, PUT'],
    ['DELETE', '/organizations/settings', 'GET, PATCH'],
    ['POST', '/organizations/webhooks/verification-jwks', 'GET'],
    ['GET', '/test-events', 'POST'],
    ['OPTIONS', '/persons', 'GET, POST'],
  ])('The method of %s %s is 405, and Allow lists the methods that are allowed', async (method, path, allow) => {
    const answer = await ask(method, path)
    expect(answer).toMatchObject(refused(405, `method: must be one of ${allow}`))
    expect(answer.headers.get('allow')).toBe(allow)
  })

  test.each<[string, number, string, string[]]>([
    ['what is no HTTP', 400, 'request: must be well-formed HTTP', ['hello', '', '']],
    [
      'headers over 32 KiB',
      431,
      'headers: must be at most 32 KiB in total',
      ['GET / HTTP/1.1', `x: ${'x'.repeat(33_000)}`],
    ],
  ])('The envelope reports %s: %i', async (_name, status, message, lines) => {
    const answer = await speak(...lines)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(jsonIn(answer)).toEqual(refused(status, message).body)
  })
})

describe('A body that does not arrive', () => {
  test.each([
    ['by its length', ['Content-Length: 20', '', '{"name":']],
    ['by its chunks', ['Transfer-Encoding: chunked', '', '7', '{"name"', '']],
  ])('A body that does not arrive is 408 at the deadline, and the connection is closed (%s)', async (_name, rest) => {
    const start = performance.now()
    const answer = await speak(
      'POST /groups HTTP/1.1',
      'Host: localhost',
      ...credentials(),
      'Content-Type: application/json',
      'Service-Required-Consistency-Timeout: 1',
      ...rest,
    )
    expect(performance.now() - start).toBeGreaterThan(950)
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
    expect(jsonIn(answer)).toEqual(refused(408, 'request: not received in time').body)
  })
})

describe('The request id', () => {
  test.each(['a', 'trace_1.2-3', 'x'.repeat(128)])('The request id %s is taken from the request', async (id) => {
    expect((await ask('GET', '/groups', undefined, { 'X-Request-Id': id })).headers.get('x-request-id')).toBe(id)
  })

  test.each(['', 'x'.repeat(129), 'a b', 'a,b', 'ä', '<script>'])(
    'The request id %j is replaced by a new one',
    async (id) => {
      const answer = await ask('GET', '/groups', undefined, { 'X-Request-Id': id })
      expect(answer.headers.get('x-request-id')).toMatch(uuidForm)
    },
  )

  test('The request id is a new one for each request that brings none, also for one that is refused', async () => {
    const answers = [await ask('GET', '/groups'), await ask('PUT', '/groups'), await signet.call('GET', '/nothing')]
    const ids = answers.map((answer) => answer.headers.get('x-request-id'))
    for (const id of ids) expect(id).toMatch(uuidForm)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('Text', () => {
  const rule = 'must not contain U+0000 or lone surrogates'

  test.each([
    ['U+0000', '\\u0000'],
    ['U+0000 inside', 'a\\u0000b'],
    ['a high surrogate alone', '\\ud83d'],
    ['a low surrogate alone', '\\ude00'],
    ['surrogates in the wrong order', '\\ude00\\ud83d'],
  ])('Text with %s in a body is 400', async (_name, escaped) => {
    const body = `{"name": "${escaped}", "description": "${escaped}"}`
    expect(await ask('POST', '/groups', body)).toMatchObject(refused(400, `name: ${rule}`, `description: ${rule}`))
    const nested = `{"handles": [{"type": "EmailAddress", "value": "${escaped}"}]}`
    expect(await ask('POST', '/persons', nested)).toMatchObject(refused(400, `handles[0].value: ${rule}`))
    const named = `{"name": "ab", "${escaped}": 1}`
    expect(await ask('POST', '/groups', named)).toMatchObject(refused(400, `body: a field name ${rule}`))
  })

  test('Text that is not UTF-8 in a body is 400', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"name":"ab","description":"'),
      Buffer.of(0xed, 0xa0, 0x80),
      Buffer.from('"}'),
    ])
    const response = await fetch(`${signet.baseUrl}/groups`, {
      method: 'POST',
      headers: { 'Service-OrgID': ours.id, 'Service-API-Key': ours.apiKey, 'content-type': 'application/json' },
      body: bytes,
    })
    expect({ status: response.status, body: await response.json() }).toEqual(refused(400, 'body: must be UTF-8'))
  })

  test.each([
    ['/groups/%00', `group_name: ${rule}`],
    ['/groups/a%00b', `group_name: ${rule}`],
    ['/persons/%00', `person_id: ${rule}`],
    ['/persons?handle=EmailAddress:%00', `handle: ${rule}`],
    ['/groups/%ED%A0%80', 'path: must be well-formed percent-encoded text'],
    ['/groups/%FF', 'path: must be well-formed percent-encoded text'],
    ['/groups/%', 'path: must be well-formed percent-encoded text'],
    ['/groups/%zz', 'path: must be well-formed percent-encoded text'],
  ])('Text in the path %s is 400: %s', async (path, message) => {
    expect(await ask('GET', path)).toMatchObject(refused(400, message))
  })

  test.each(['/persons?handle=%ED%A0%80', '/persons?handle=%FF', '/persons?handle=%'])(
    'Text in the query %s is 400',
    async (path) => {
      expect((await ask('GET', path)).status).toBe(400)
    },
  )

  // 😀 is one character, two UTF-16 units and four bytes.
  test.each(['x', 'é', '😀'])(
    'Text has its length in characters: names 1 to 200, descriptions up to 1000 of %s',
    async (one) => {
      const name = (length: number) =>
        ask('POST', '/organizations/api-keys', { name: one.repeat(length), read_only: true })
      const nameRule = refused(400, 'name: must be 1 to 200 characters')
      expect(await name(0)).toMatchObject(nameRule)
      expect((await name(1)).body.result.name).toBe(one)
      expect((await name(200)).body.result.name).toBe(one.repeat(200))
      expect(await name(201)).toMatchObject(nameRule)

      await ask('POST', '/groups', { name: 'text' })
      const description = (length: number) => ask('PATCH', '/groups/text', { description: one.repeat(length) })
      expect((await description(0)).body.result.description).toBe('')
      expect((await description(1_000)).body.result.description).toBe(one.repeat(1_000))
      expect(await description(1_001)).toMatchObject(
        refused(400, 'description: must be at most 1000 characters, or null'),
      )
    },
  )
})

describe('Pages', () => {
  const names = ['a1', 'a2', 'a3', 'a4', 'a5']
  let paged: Organization
  const page = (query: string) => signet.as(paged, 'GET', `/groups${query}`)

  beforeAll(async () => {
    paged = await signet.organization()
    for (const name of names) await signet.as(paged, 'POST', '/groups', { name })
  })

  test.each([
    ['', 100, 0, names],
    ['?limit=1', 1, 0, ['a1']],
    ['?limit=1000', 1000, 0, names],
    ['?offset=0', 100, 0, names],
    ['?limit=2&offset=2', 2, 2, ['a3', 'a4']],
    ['?limit=2&offset=4', 2, 4, ['a5']],
    ['?offset=5', 100, 5, []],
    ['?offset=2147483647', 100, 2_147_483_647, []],
  ])('The page with the query %j has limit %i, offset %i and %j (2.7)', async (query, limit, offset, result) => {
    const meta = { pagination: { limit, offset, total_count: names.length } }
    expect((await page(query)).body).toEqual({ result, meta })
  })

  const noIntegers = ['-1', '1.5', 'ten', '', 'null', 'true', '1&limit=2', '1e2', '%2B5', '0x10', '%205', '5.0', '٥']
  test.each(['0', '1001', '99999999999999999999', ...noIntegers])(
    'A page with limit=%s is 400 (2.7)',
    async (limit) => {
      expect(await page(`?limit=${limit}`)).toMatchObject(refused(400, 'limit: must be an integer from 1 to 1000'))
    },
  )

  test.each(['-1', '1.5', 'ten', '', '2147483648'])('A page with offset=%s is 400 (2.7)', async (offset) => {
    const refusal = refused(400, 'offset: must be an integer from 0 to 2147483647')
    expect(await page(`?offset=${offset}`)).toMatchObject(refusal)
  })
})

describe('Browsers', () => {
  test('A page of another origin may read no reply', async () => {
    const origin = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' }
    const answers = [await ask('GET', '/groups', undefined, origin), await ask('OPTIONS', '/groups', undefined, origin)]
    for (const { headers } of answers)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect(answers[1]?.status).toBe(405)
  })
})

describe('A rate limit', () => {
  const keySet = (at: Signet, id: string, headers: Headings = {}) =>
    at.call('GET', '/organizations/webhooks/verification-jwks', { 'Service-OrgID': id, ...headers })

  test('A rate limit is 429 with Retry-After, and admits requests after that (8)', async () => {
    const limited = await signet.organization()
    for (let call = 0; call < 3; call++) expect((await keySet(signet, limited.id)).status).toBe(200)
    // On a busy machine another second, and so another call, may have passed.
    let answer = await keySet(signet, limited.id)
    for (let call = 0; call < 10 && answer.status === 200; call++) answer = await keySet(signet, limited.id)
    expect(answer).toMatchObject(refused(429, 'rate limit exceeded; retry after 1 s'))
    expect(answer.headers.get('retry-after')).toBe('1')
    expect((await keySet(signet, (await signet.organization()).id)).status).toBe(200)
    await expect.poll(async () => (await keySet(signet, limited.id)).status, patience).toBe(200)
  })

  test('A rate limit counts each client address by itself (8)', async () => {
    const { id } = await signet.organization()
    const from = async (address: string) => (await keySet(behindProxies, id, { 'X-Forwarded-For': address })).status
    expect(await from('203.0.113.7')).toBe(200)
    expect(await from('203.0.113.7')).toBe(429)
    expect(await from('198.51.100.1, 203.0.113.7')).toBe(429)
    expect(await from('203.0.113.8')).toBe(200)
  })
})

describe('An internal error', () => {
  const secret = 'header-value-that-nobody-must-see'
  const away = ['groups', 'webhooks'] as const

  beforeAll(() => sql(...away.map((table) => `alter table ${table} rename to ${table}_away`)))
  afterAll(() => sql(...away.map((table) => `alter table ${table}_away rename to ${table}`)))

  test.each<[string, string, unknown]>([
    ['GET', '/groups', undefined],
    ['POST', '/groups', { name: 'internal' }],
    [
      'POST',
      '/organizations/webhooks',
      { name: 'x', target_url: 'https://example.com/', custom_headers: { authorization: [secret] } },
    ],
  ])('An internal error in %s %s is 500, with a request id and nothing else', async (method, path, body) => {
    const answer = await ask(method, path, body)
    const id = answer.headers.get('x-request-id')
    expect(id).toMatch(uuidForm)
    expect({ status: answer.status, body: answer.body }).toEqual(refused(500, `internal error; request id ${id}`))
    await expect.poll(() => signet.output(), patience).toContain(`"requestId":"${id}"`)
  })

  test('An internal error, like all else, writes no secret to the log', () => {
    const output = signet.output() + behindProxies.output()
    expect(output).toContain('request failed')
    for (const word of [ours.apiKey, theirs.apiKey, readOnly.apiKey, signet.operatorKey, secret])
      expect(output).not.toContain(word)
    expect(output).not.toMatch(/signet_[0-9A-Za-z]{82}/)
  })
})
