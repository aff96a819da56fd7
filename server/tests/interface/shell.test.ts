import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import {
  keyExpired,
  keyNotValid,
  keyRequired,
  operatorKeyNotValid,
  operatorKeyRequired,
  refused,
} from '../support/refused.ts'
import { type Answer, type Headings, type Organization, type Signet, startSignet } from '../support/signet.ts'

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const unknownId = '01890000-0000-7000-8000-000000000000'
const mebibyte = 1_048_576
const patience = { timeout: 30_000 }

let database: Awaited<ReturnType<typeof testDatabase>>
let receiver: Receiver
let signet: Signet
/** On the same database; its client addresses come from proxies, and it has no operator's key. */
let behindProxies: Signet
let ours: Organization
let theirs: Organization
let readOnly: Organization

beforeAll(async () => {
  database = await testDatabase()
  receiver = await startReceiver()
  const options = { databaseUrl: database.url, receiver }
  signet = await startSignet({ ...options, env: { SIGNET_LOG_LEVEL: 'debug', SIGNET_RATE_KEY_SET: '60/3' } })
  behindProxies = await startSignet({
    ...options,
    env: {
      SIGNET_BASE_URL: signet.baseUrl,
      SIGNET_LOG_LEVEL: 'debug',
      SIGNET_OPERATOR_KEY: '',
      SIGNET_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
      SIGNET_RATE_KEY_SET: '1/1',
    },
  })
  ours = await signet.organization()
  theirs = await signet.organization()
  readOnly = await newKey({ read_only: true })
})

afterAll(async () => {
  await Promise.all([signet?.stop(), behindProxies?.stop(), receiver?.stop()])
  await database?.drop()
})

const ask = (method: string, path: string, body?: unknown, headers?: Headings) =>
  signet.as(ours, method, path, body, headers)

const sql = async (...statements: string[]) => {
  const client = new pg.Client(database)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function newKey(fields: object): Promise<Organization & { keyId: string }> {
  const { body } = await ask('POST', '/organizations/api-keys', fields)
  return { id: ours.id, apiKey: body.result.api_key, keyId: body.result.id }
}

async function newPerson(at = signet, headers?: Headings): Promise<string> {
  const { body } = await at.as(ours, 'POST', '/persons', {}, headers)
  return body.result.person_id
}

/** A path of the receiver that hears of every person that is created from now on. */
async function listen(path: string) {
  const { body } = await ask('POST', '/organizations/webhooks', { name: path, target_url: receiver.url(path) })
  const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
  await ask('POST', `/organizations/webhooks/${body.result.id}/triggers`, trigger)
  return {
    /** The analytics of the events that tell of these persons. */
    analyticsOf: async (personIds: string[]) => {
      const contents = (await receiver.waitFor(path, personIds.length)).map((received) => contentOf(received.body))
      return personIds.map((id) => contents.find((content) => content.person_id === id).analytics_metadata)
    },
    close: () => ask('DELETE', `/organizations/webhooks/${body.result.id}`),
  }
}

const contentOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).trigger_content

/** Sends bytes as they are, and gives all that comes back until the service closes the connection. */
async function speak(...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(signet.baseUrl).port), '127.0.0.1')
  socket.write(lines.join('\r\n'))
  return text(socket)
}

const credentials = () => [`Service-OrgID: ${ours.id}`, `Service-API-Key: ${ours.apiKey}`]
const jsonIn = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))

describe('Service-OrgID', () => {
  // Proves 1/1, 4/1, 4.1/2, 4.2/2, 4.3/2, 4.4/2.
  test('A missing Service-OrgID is 400 (4)', async () => {
    const answer = await signet.call('GET', '/groups', { 'Service-API-Key': ours.apiKey })
    expect(answer).toMatchObject(refused(400, 'Service-OrgID: is required'))
  })

  // Proves 4/2.
  test.each([
    '',
    'x',
    '0',
    unknownId.replaceAll('-', ''),
    `{${unknownId}}`,
    `${unknownId}0`,
    `${unknownId}, ${unknownId}`,
  ])('The Service-OrgID %j is no UUID: 400 (4)', async (id) => {
    const answer = await signet.as({ ...ours, id }, 'GET', '/groups')
    expect(answer).toMatchObject(refused(400, 'Service-OrgID: must be a UUID'))
  })

  // Proves 4/2.
  test('A Service-OrgID in upper case is accepted', async () => {
    expect((await signet.as({ ...ours, id: ours.id.toUpperCase() }, 'GET', '/groups')).status).toBe(200)
  })

  // Proves 4.8/3, 5, rule 3/1.
  test('The Service-OrgID of an unknown organization is 404 where no key is asked for, and no key is needed there (5, rule 3)', async () => {
    const keySet = (id: string) =>
      signet.call('GET', '/organizations/webhooks/verification-jwks', { 'Service-OrgID': id })
    expect(await keySet(unknownId)).toMatchObject(refused(404, 'organization: not found'))
    expect((await keySet(theirs.id)).status).toBe(200)
  })
})

describe('Service-API-Key', () => {
  const wrongKeys: Record<string, () => Promise<Organization> | Organization> = {
    'what is no key': () => ({ ...ours, apiKey: 'secret' }),
    'a key with another checksum': () => ({ ...ours, apiKey: `${ours.apiKey.slice(0, -7)}0000000` }),
    'a key in upper case': () => ({ ...ours, apiKey: ours.apiKey.toUpperCase() }),
    'a key of another organization': () => ({ ...ours, apiKey: theirs.apiKey }),
    "the operator's key": () => ({ ...ours, apiKey: signet.operatorKey }),
    'an unknown organization': () => ({ ...ours, id: unknownId }),
    'a deleted organization': async () => {
      const deleted = await signet.organization()
      await signet.operate('DELETE', `/organizations/${deleted.id}`)
      return deleted
    },
    'a revoked key': async () => {
      const revoked = await newKey({})
      expect((await signet.as(revoked, 'GET', '/groups')).status).toBe(200)
      await ask('DELETE', `/organizations/api-keys/${revoked.keyId}`)
      return revoked
    },
    'an expired key of another organization': async () => ({ ...(await newExpiredKey()), id: theirs.id }),
  }

  // Proves 5, rule 2/1.
  test.each(Object.keys(wrongKeys))('A request with %s is 401, like all the others', async (name) => {
    const caller = await wrongKeys[name]?.()
    for (const method of ['GET', 'POST']) {
      const { status, body } = await signet.as(
        caller as Organization,
        method,
        '/groups',
        method === 'POST' ? {} : undefined,
      )
      expect({ status, body }).toEqual(keyNotValid)
    }
  })

  // Proves 4.5/2, 5, rule 2/1.
  test('A missing or empty Service-API-Key is 401, and the reply names the header that is required (5, rule 2)', async () => {
    const organization = { 'Service-OrgID': ours.id }
    expect(await signet.call('GET', '/groups', organization)).toMatchObject(keyRequired)
    expect(await signet.call('GET', '/groups', { ...organization, 'Service-API-Key': '' })).toMatchObject(keyRequired)
  })

  // Proves 5, rule 2/1.
  test('A Service-API-Key that has expired is 401, and the reply says so', async () => {
    const expired = await newExpiredKey()
    expect(await signet.as(expired, 'GET', '/groups')).toMatchObject(keyExpired)
    expect(await signet.as(expired, 'POST', '/groups', {})).toMatchObject(keyExpired)
  })

  async function newExpiredKey() {
    const expiring = await newKey({ expires_at: new Date(Date.now() + 5_000).toISOString() })
    expect((await signet.as(expiring, 'GET', '/groups')).status).toBe(200)
    await expect.poll(async () => (await signet.as(expiring, 'GET', '/groups')).status, patience).toBe(401)
    return expiring
  }

  test('A read-only key is 403 on what writes and accepted on what reads', async () => {
    const refusal = refused(403, 'Service-API-Key: this key is read-only; it lacks the scope groups:write')
    expect(await signet.as(readOnly, 'POST', '/groups', { name: 'read-only' })).toMatchObject(refusal)
    expect(await signet.as(readOnly, 'DELETE', '/groups/read-only')).toMatchObject(refusal)
    expect((await signet.as(readOnly, 'GET', '/groups')).status).toBe(200)
    expect((await ask('GET', '/groups/read-only')).status).toBe(404)
  })

  test('A Service-API-Key is asked for before anything is said of the request', async () => {
    const headers = { 'Service-OrgID': ours.id, 'Service-Required-Consistency': 'x', 'content-type': 'text/plain' }
    expect(await signet.call('POST', '/groups', headers, '{')).toMatchObject(keyRequired)
  })
})

describe('Service-Operator-Key', () => {
  test.each([
    ['missing', {}, operatorKeyRequired],
    ['wrong', { 'Service-Operator-Key': 'operator-key-for-tests-9999999999' }, operatorKeyNotValid],
    ['empty', { 'Service-Operator-Key': '' }, operatorKeyRequired],
  ])('A %s Service-Operator-Key is 401', async (_name, headers, refusal) => {
    expect(await signet.call('GET', '/organizations', headers)).toMatchObject(refusal)
  })

  test('A Service-Operator-Key cannot be replaced by an API key, nor replace one', async () => {
    expect(await ask('GET', '/organizations')).toMatchObject(operatorKeyRequired)
    const headers = { 'Service-OrgID': ours.id, 'Service-Operator-Key': signet.operatorKey }
    expect(await signet.call('GET', '/groups', headers)).toMatchObject(keyRequired)
  })

  test('A Service-Operator-Key is enough without Service-OrgID', async () => {
    expect((await signet.operate('GET', '/organizations')).status).toBe(200)
  })

  test('A Service-Operator-Key is refused by a service that has none', async () => {
    const headers = { 'Service-Operator-Key': signet.operatorKey }
    expect(await behindProxies.call('GET', '/organizations', headers)).toMatchObject(operatorKeyNotValid)
  })
})

describe('The envelope', () => {
  // Proves 2.7/1, 2.7/5.
  test('The envelope of a success holds result, and meta where it is a page (2.7)', async () => {
    const made = await ask('POST', '/groups', { name: 'envelope' })
    expect(Object.keys(made.body)).toEqual(['result'])
    const page = await ask('GET', '/groups')
    expect(Object.keys(page.body)).toEqual(['result', 'meta'])
    expect(page.body.meta).toEqual({ pagination: { limit: 100, offset: 0, total_count: expect.any(Number) } })
    expect((await ask('DELETE', '/groups/envelope')).body).toEqual({})
    expect((await ask('DELETE', `/persons/${await newPerson()}`)).body).toBeUndefined()
  })

  // Proves 2.7/4, 4.3/5, 7/1.
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

  // Proves 2.7/4.
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

  // Proves 4.3/4.
  test.each(['text/plain', 'application/xml', 'application/jsonx', 'application/x-www-form-urlencoded', 'json', ''])(
    'The content type %j is 415',
    async (type) => {
      const answer = await ask('POST', '/groups', '{"name":"ab"}', { 'content-type': type })
      expect(answer).toMatchObject(refused(415, 'Content-Type: must be application/json'))
    },
  )

  // Proves 4.3/4.
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
  // Proves 4/9.
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
  // Proves 2.2/7.
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

  // Proves 2.7/1, 2.7/2, 2.7/3.
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
  // Proves 2.7/2.
  test.each(['0', '1001', '99999999999999999999', ...noIntegers])(
    'A page with limit=%s is 400 (2.7)',
    async (limit) => {
      expect(await page(`?limit=${limit}`)).toMatchObject(refused(400, 'limit: must be an integer from 1 to 1000'))
    },
  )

  // Proves 2.7/3.
  test.each(['-1', '1.5', 'ten', '', '2147483648'])('A page with offset=%s is 400 (2.7)', async (offset) => {
    const refusal = refused(400, 'offset: must be an integer from 0 to 2147483647')
    expect(await page(`?offset=${offset}`)).toMatchObject(refusal)
  })
})

describe('The consistency headers', () => {
  const levelRule = 'Service-Required-Consistency: must be local_region or all_regions'
  const timeoutRule = 'Service-Required-Consistency-Timeout: must be an integer from 1 to 120 (seconds)'
  const create = (headers: Headings) => ask('POST', '/groups', { name: 'consistent' }, headers)

  // Proves 4/3, 4/5, 4.3/3.
  test.each(['local_region', 'all_regions'])('The consistency level %s is accepted (4)', async (level) => {
    expect((await create({ 'Service-Required-Consistency': level })).status).toBe(201)
  })

  // Proves 4/3.
  test.each(['', 'region', 'LOCAL_REGION', 'local_region,all_regions', 'all-regions'])(
    'The consistency level %j is refused with 400 (4)',
    async (level) => {
      expect(await create({ 'Service-Required-Consistency': level })).toMatchObject(refused(400, levelRule))
    },
  )

  // White space around a header's value is not part of it (RFC 9110, 5.5).
  // Proves 4/8, 4.3/3, 8/3.
  test.each(['1', '30', '120', ' 5', '5 '])('The consistency timeout %j is accepted (4)', async (seconds) => {
    expect((await create({ 'Service-Required-Consistency-Timeout': seconds })).status).toBe(201)
  })

  // Proves 4/8, 8/3.
  test.each([
    '',
    '0',
    '121',
    '-1',
    '1.5',
    '1.0',
    '+5',
    '1e1',
    '0x10',
    '5s',
    'ten',
    '1, 2',
    '1 2',
    '1000',
    '99999999999',
  ])('The consistency timeout %j is refused with 400 (4)', async (seconds) => {
    expect(await create({ 'Service-Required-Consistency-Timeout': seconds })).toMatchObject(refused(400, timeoutRule))
  })

  test('Consistency headers that are given twice are refused', async () => {
    const timeout = 'Service-Required-Consistency-Timeout: 5'
    const lines = ['POST /groups HTTP/1.1', 'Host: localhost', ...credentials(), timeout, timeout]
    const answer = await speak(...lines, 'Connection: close', 'Content-Length: 0', '', '')
    expect(jsonIn(answer)).toEqual(refused(400, timeoutRule).body)
  })

  test('Consistency headers are read by every operation that writes, and each of the two is reported', async () => {
    const { body: document } = await signet.call('GET', '/openapi.json')
    const headers = { 'Service-Required-Consistency': 'x', 'Service-Required-Consistency-Timeout': 'x' }
    for (const [path, operations] of Object.entries<Record<string, { security: object[] }>>(document.paths))
      for (const [method, { security }] of Object.entries(operations)) {
        if (method === 'get') continue
        const known = { 'Service-OrgID': ours.id, 'Service-API-Key': ours.apiKey }
        const caller = security.some((each) => 'operator' in each)
          ? { 'Service-Operator-Key': signet.operatorKey }
          : known
        const reply = await signet.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, unknownId), {
          ...caller,
          ...headers,
        })
        expect(reply, `${method} ${path}`).toMatchObject(refused(400, levelRule, timeoutRule))
      }
  })

  // Proves 4/4, 4/9, 7/11.
  test.each(['local_region', 'all_regions'])(
    'A request for %s is 408 at its timeout, and the change may still be made (4)',
    async (level) => {
      const person = `/persons/${await newPerson()}`
      const isActive = async () => (await ask('GET', person)).body.result.active
      const holder = new pg.Client(database)
      // A test that fails leaves it to be ended with its database.
      holder.on('error', () => {})
      await holder.connect()
      await holder.query('begin')
      await holder.query('select from persons where id = $1 for update', [person.slice('/persons/'.length)])

      const headers = { 'Service-Required-Consistency': level, 'Service-Required-Consistency-Timeout': '1' }
      const start = performance.now()
      const answer = await ask('PATCH', person, { active: false }, headers)
      expect(answer).toMatchObject(
        refused(408, 'Service-Required-Consistency-Timeout: not reached in time; the request may still be handled'),
      )
      const elapsedMs = performance.now() - start
      expect(elapsedMs).toBeGreaterThan(950)
      // Long before the thirty seconds of the default.
      expect(elapsedMs).toBeLessThan(20_000)

      expect(await isActive()).toBe(true)
      await newPerson()
      await holder.query('rollback')
      await holder.end()
      await expect.poll(isActive, patience).toBe(false)
      const inTime = { 'Service-Required-Consistency': level }
      expect((await ask('PATCH', person, { active: true }, inTime)).status).toBe(200)
    },
  )
})

describe('The events that a request causes', () => {
  // Proves 6.1/9.
  test('Events have the Service-Correlation-Id of their request where that is a UUID, else a new one each (6.1)', async () => {
    const { analyticsOf, close } = await listen('/correlation')
    const correlationIds = [unknownId, unknownId.replaceAll('0', 'A'), 'x', `${unknownId}0`, '']
    const headers = [...correlationIds.map((id) => ({ 'Service-Correlation-Id': id })), {}]
    const persons: string[] = []
    for (const each of headers) persons.push(await newPerson(signet, each))
    const ids = (await analyticsOf(persons)).map((analytics) => analytics.analytics_correlation_id)
    expect(ids.slice(0, 2)).toEqual([unknownId, unknownId.replaceAll('0', 'a')])
    for (const id of ids) expect(id).toMatch(uuidForm)
    expect(new Set(ids).size).toBe(ids.length)
    await close()
  })

  // Proves 6.1/10.
  test('Events have the address of the connection, whatever X-Forwarded-For says (6.1)', async () => {
    const { analyticsOf, close } = await listen('/addresses')
    const persons = [await newPerson(), await newPerson(signet, { 'X-Forwarded-For': '203.0.113.7' })]
    for (const { client_ip_address } of await analyticsOf(persons)) expect(client_ip_address).toBe('127.0.0.1')
    await close()
  })

  // Proves 6.1/10.
  test('Events behind trusted proxies have the rightmost address that is not one of them (6.1)', async () => {
    const { analyticsOf, close } = await listen('/proxied')
    const expected: [string, string][] = [
      ['203.0.113.7', '203.0.113.7'],
      ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
      ['198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
      ['203.0.113.7, 10.1.2.3, 127.0.0.1', '203.0.113.7'],
      ['10.9.9.9, 10.1.2.3', '10.9.9.9'],
      ['2001:db8::7', '2001:db8::7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['::FFFF:cb00:7107', '203.0.113.7'],
      ['203.0.113.7, ::ffff:10.1.2.3', '203.0.113.7'],
      ['203.0.113.7, ::ffff:a01:203', '203.0.113.7'],
      ['[0:0:0:0:0:ffff:cb00:7107]:443', '203.0.113.7'],
      ['2001:DB8:0:0::7', '2001:db8::7'],
      ['fe80::7%eth0', 'fe80::7'],
      ['', '127.0.0.1'],
      ['unknown', '127.0.0.1'],
      ['203.0.113.7, <script>', '127.0.0.1'],
      ['<script>, 203.0.113.7', '203.0.113.7'],
      ['203.0.113.7, unknown, 10.1.2.3', '10.1.2.3'],
    ]
    const persons: string[] = []
    for (const [forwarded] of expected)
      persons.push(
        await newPerson(behindProxies, { 'X-Forwarded-For': forwarded, 'X-Forwarded-Host': 'x', 'X-Real-Ip': 'x' }),
      )
    const addresses = (await analyticsOf(persons)).map((analytics) => analytics.client_ip_address)
    expect(expected.map(([forwarded], index) => [forwarded, addresses[index]])).toEqual(expected)
    await close()
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

  // Proves 4.8/5, 8/11.
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

  // Proves 4.8/5.
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
