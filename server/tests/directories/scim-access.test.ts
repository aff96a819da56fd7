import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { administer } from '../support/database.ts'
import { core, jo, type Pushing, startPushing } from '../support/pushing.ts'
import {
  type Answer,
  type Organization,
  type OwnSignet,
  type Signet,
  startOwnSignet,
  startSignet,
} from '../support/signet.ts'

const settings = { SIGNET_ACCESS_LOG: 'on', SIGNET_LOG_LEVEL: 'info' }
const mebibyte = 1_048_576

let signet: OwnSignet
let ours: Organization
let corp: Pushing

beforeAll(async () => {
  signet = await startOwnSignet({ env: settings })
})
afterAll(() => signet?.stop())
beforeEach(async () => {
  ours = await signet.organization()
  corp = await startPushing(signet, ours)
})

const errorUrn = 'urn:ietf:params:scim:api:messages:2.0:Error'
const refused = (status: number, detail: unknown = expect.any(String), scimType?: string) => ({
  status,
  body: { schemas: [errorUrn], status: String(status), detail, ...(scimType && { scimType }) },
})
const notValid = 'Authorization: must be Bearer with a valid token of a directory of this organization'

/** Without a token, unless `headers` have one. */
const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown, by: Signet = signet) =>
  by.call(method, `/scim/${ours.id}/v2${path}`, headers, body)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const typeOf = ({ headers }: Answer) => headers.get('content-type')
const newToken = async (fields: object = {}, directory = corp.id) =>
  (await signet.as(ours, 'POST', `/organizations/directories/${directory}/tokens`, fields)).body.result
const refusalsOf = async () =>
  (await signet.as(ours, 'GET', `/organizations/directories/${corp.id}`)).body.result.last_refusal
const group = (members: object[]) => ({ displayName: 'Everybody', members })

describe('Who may call', () => {
  test.each(['/Users', '/Groups', '/Users/x', '/Me', '/Nothing'])('1: %s without a token is a 401', async (path) => {
    const answer = await ask('GET', path)
    expect(answer).toMatchObject(refused(401, notValid))
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(typeOf(answer)).toBe('application/scim+json')
  })

  test('2: one text for every wrong token, and another for a right one that has expired', async () => {
    const others = await signet.organization()
    const theirs = await startPushing(signet, others)
    const revoked = await newToken()
    await signet.as(ours, 'DELETE', `/organizations/directories/${corp.id}/tokens/${revoked.id}`)
    const expired = await newToken({ expires_at: new Date(Date.now() + 1_500).toISOString() })
    for (const token of [revoked.token, theirs.token, ours.apiKey, 'x', ''])
      expect(await ask('GET', '/Users', bearer(token))).toMatchObject(refused(401, notValid))
    expect(await ask('GET', '/Users', { authorization: 'Basic eDp5' })).toMatchObject(refused(401, notValid))
    const answerOfExpired = () => ask('GET', '/Users', bearer(expired.token))
    await expect
      .poll(answerOfExpired, { timeout: 20_000 })
      .toMatchObject(refused(401, 'Authorization: the token has expired'))
  })

  test('2: a directory that is switched off is refused', async () => {
    await signet.as(ours, 'PATCH', `/organizations/directories/${corp.id}`, { enabled: false })
    expect(await corp.call('GET', '/Users')).toMatchObject(refused(401, notValid))
  })

  test('3: the name of the scheme counts whatever its case', async () => {
    const { token } = await newToken()
    for (const scheme of ['bearer', 'BEARER'])
      expect(await ask('GET', '/Users', { authorization: `${scheme} ${token}` })).toMatchObject({ status: 200 })
  })

  test('4: a token opens nothing but SCIM', async () => {
    const { token } = await newToken()
    for (const headers of [bearer(token), { 'Service-API-Key': token }])
      expect((await signet.call('GET', '/groups', { 'Service-OrgID': ours.id, ...headers })).status).toBe(401)
  })

  test('Nothing of a body is read before the token', async () => {
    const head = `POST /scim/${ours.id}/v2/Users HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/scim+json\r\n`
    const answer = await speak(`${head}Content-Length: 1000\r\nConnection: close\r\n\r\n{`)
    expect(answer).toMatch(/^HTTP\/1\.1 401/)
    expect(answer).toContain(errorUrn)
  })

  test('An organization that is no UUID is nowhere', async () => {
    expect(await signet.call('GET', '/scim/x/v2/Users')).toMatchObject(refused(404))
  })

  test('101: beyond its rate a directory waits, and another does not', async () => {
    const slow = await startSignet({
      databaseUrl: signet.database.url,
      env: { ...settings, SIGNET_BASE_URL: signet.baseUrl, SIGNET_RATE_SCIM: '60/3' },
    })
    try {
      const [mine, other] = [await newToken(), await startPushing(signet, ours, { name: 'Another' })]
      const call = (token: string) => ask('GET', '/Users', bearer(token), undefined, slow)
      const answers = [await call(mine.token), await call(mine.token), await call(mine.token), await call(mine.token)]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
      expect(answers[3]).toMatchObject(refused(429))
      expect(answers[3]?.headers.get('retry-after')).toBe('1')
      expect((await call(other.token)).status).toBe(200)
    } finally {
      await slow.stop()
    }
  })
})

/** Sends it as it is, and gives all that comes back until the service closes the connection. */
function speak(request: string): Promise<string> {
  const socket = connect(Number(new URL(signet.baseUrl).port), '127.0.0.1')
  socket.write(request)
  return text(socket)
}

describe('What a client finds out', () => {
  test('5: what the service can do, also without a token', async () => {
    const answer = await ask('GET', '/ServiceProviderConfig')
    expect(typeOf(answer)).toBe('application/scim+json')
    expect(answer).toMatchObject({
      status: 200,
      body: {
        patch: { supported: true },
        bulk: { supported: false },
        filter: { supported: true, maxResults: 1000 },
        changePassword: { supported: false },
        sort: { supported: false },
        etag: { supported: true },
        authenticationSchemes: [{ type: 'oauthbearertoken' }],
        meta: { location: `${signet.baseUrl}/scim/${ours.id}/v2/ServiceProviderConfig` },
      },
    })
  })

  test('6: which resources there are', async () => {
    const { status, body } = await ask('GET', '/ResourceTypes')
    expect({ status, ...body }).toMatchObject({ status: 200, totalResults: 2, startIndex: 1, itemsPerPage: 2 })
    expect(body.Resources.map(({ id, endpoint }: { id: string; endpoint: string }) => [id, endpoint])).toEqual([
      ['User', '/Users'],
      ['Group', '/Groups'],
    ])
    const user = await ask('GET', '/ResourceTypes/User')
    expect(user.body).toEqual(body.Resources[0])
    expect(user.body.schemaExtensions).toEqual([
      { schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', required: false },
    ])
  })

  test('7: which attributes they have, without a null', async () => {
    const { body } = await ask('GET', '/Schemas')
    expect(body.Resources.map(({ name }: { name: string }) => name)).toEqual([
      'User',
      'EnterpriseUser',
      'Group',
      'SignetGroup',
    ])
    expect(JSON.stringify(body)).not.toContain('null')
    expect((await ask('GET', `/Schemas/${core}`)).body).toEqual(body.Resources[0])
    expect(body.Resources[0].attributes).toContainEqual({
      name: 'userName',
      type: 'string',
      multiValued: false,
      description: expect.any(String),
      required: true,
      caseExact: false,
      mutability: 'readWrite',
      returned: 'default',
      uniqueness: 'server',
    })
  })

  test('8: none of these can be searched', async () => {
    for (const path of ['/Schemas', '/ResourceTypes', '/ServiceProviderConfig'])
      expect(await ask('GET', `${path}?filter=${encodeURIComponent('id eq "x"')}`)).toMatchObject(refused(403))
  })

  test('A schema of nobody is a 404', async () => {
    expect(await ask('GET', '/Schemas/urn:x')).toMatchObject(refused(404))
  })
})

describe('Addresses', () => {
  test.each([
    ['GET', '/Me'],
    ['POST', '/Bulk'],
    ['GET', `?filter=${encodeURIComponent('userName eq "jo"')}`],
    ['POST', '/.search'],
  ])('9: %s %s is not supported', async (method, path) => {
    expect(await corp.call(method, path, method === 'POST' ? {} : undefined)).toMatchObject(refused(501))
  })

  test('10: an unknown path is a 404, another method a 405 that names those there are', async () => {
    expect(await corp.call('GET', '/Nothing')).toMatchObject(refused(404))
    for (const [method, path, allow] of [
      ['DELETE', '/Schemas', 'GET'],
      ['PUT', '/Users', 'GET, POST'],
      ['POST', '/Groups/x', 'DELETE, GET, PATCH, PUT'],
    ] as const) {
      const answer = await corp.call(method, path, method === 'DELETE' ? undefined : {})
      expect(answer).toMatchObject(refused(405))
      expect(answer.headers.get('allow')).toBe(allow)
    }
  })

  test('A closing slash is named', async () => {
    expect(await corp.call('GET', '/Users/')).toMatchObject(refused(404, 'path: must not end in a slash; use /Users'))
  })

  test('What is below /scim/ and no address of it is told so in its language', async () => {
    const elsewhere = refused(404, 'path: SCIM is at /scim/{organization id}/v2')
    for (const path of ['/scim/x', `/scim/${ours.id}/Users`, `/scim/${ours.id}/v1/Users`])
      expect(await signet.call('GET', path)).toMatchObject(elsewhere)
    expect(await signet.call('GET', `/scim/${ours.id}/v2/Users/%zz`)).toMatchObject(refused(400))
    expect(
      await speak(`PROPFIND /scim/${ours.id}/v2/Users HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    ).toContain(errorUrn)
    expect(await speak(`GET /scim/${ours.id}/v2/Users HTTP/1.1\r\nno header\r\n\r\n`)).toContain(errorUrn)
  })

  test('SCIM is no part of the interface', async () => {
    const { body } = await signet.call('GET', '/openapi.json')
    expect(Object.keys(body.paths).filter((path) => path.startsWith('/scim'))).toEqual([])
  })
})

describe('Bodies and answers', () => {
  test('11: JSON by either name is taken, and answered by SCIM’s', async () => {
    for (const [index, type] of ['application/json', 'application/scim+json; charset=utf-8'].entries()) {
      const user = { ...jo, userName: `jo${index}`, externalId: `${index}`, emails: [] }
      const answer = await corp.call('POST', '/Users', user, { 'content-type': type, accept: 'application/json' })
      expect({ status: answer.status, type: typeOf(answer) }).toEqual({ status: 201, type: 'application/scim+json' })
    }
  })

  test('12: names in the query that nobody knows mean nothing', async () => {
    await corp.push(jo)
    const query = `aadOptscim062020&filter=${encodeURIComponent(`userName eq "${jo.userName}"`)}&x=1&x=2`
    expect((await corp.call('GET', `/Users?${query}`)).body).toMatchObject({ totalResults: 1 })
  })

  test('40: a filter beyond its bounds is refused', async () => {
    for (const filter of ['x'.repeat(4_097), `${'('.repeat(21)}title pr${')'.repeat(21)}`])
      expect(await corp.call('GET', `/Users?filter=${filter}`)).toMatchObject(
        refused(400, expect.any(String), 'invalidFilter'),
      )
    const lines = () => signet.output().split('\n')
    const ofOurs = () => lines().filter((line) => line.includes('a directory was refused') && line.includes(ours.id))
    await expect.poll(ofOurs).toHaveLength(2)
  })

  test('44: a search in a body is that of the address', async () => {
    const { id } = await corp.push(jo)
    const search = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: `userName eq "${jo.userName}"`,
      attributes: ['userName'],
      startIndex: 1,
      count: 10,
    }
    expect((await corp.call('POST', '/Users/.search', search)).body).toMatchObject({
      totalResults: 1,
      Resources: [{ schemas: [core], id, userName: jo.userName }],
    })
    expect(await corp.call('POST', '/Users/.search', { count: {} })).toMatchObject(
      refused(400, expect.stringContaining('count'), 'invalidValue'),
    )
  })

  test.each([
    ['malformed', '{', 'body: must be well-formed JSON: line 1, column 2: it ends too early'],
    ['empty', '', 'body: must be a JSON object'],
    ['a list', '[]', 'body: must be a JSON object'],
    ['with a member twice', '{"userName":"a","userName":"b"}', 'userName: must be given once'],
  ])('A body that is %s is refused', async (_, body, detail) => {
    expect(await corp.call('POST', '/Users', body)).toMatchObject(refused(400, detail, 'invalidSyntax'))
  })

  test('U+0000 and lone surrogates are refused, in bodies and addresses', async () => {
    for (const userName of ['a\0b', '\ud800'])
      expect(await corp.call('POST', '/Users', { userName })).toMatchObject(
        refused(400, expect.stringContaining('userName')),
      )
    expect(await corp.call('GET', '/Users?filter=%00')).toMatchObject(refused(400))
    expect(await corp.call('GET', '/Users/a%00b')).toMatchObject({ status: 400 })
  })

  test('Another type, another charset, and no type are a 415', async () => {
    for (const type of ['text/plain', 'application/json; charset=latin1'])
      expect(await corp.call('POST', '/Users', '{}', { 'content-type': type })).toMatchObject(refused(415))
  })

  test('A DELETE may name a type without a body', async () => {
    const { id } = await corp.push(jo)
    const answer = await corp.call('DELETE', `/Users/${id}`, undefined, { 'content-type': 'application/scim+json' })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 204, body: undefined })
  })

  test('66: who has the version of a user is told so', async () => {
    const { id, meta } = await corp.push(jo)
    const read = (tag: string) => corp.call('GET', `/Users/${id}`, undefined, { 'if-none-match': tag })
    expect(await read(meta.version)).toMatchObject({ status: 304, body: undefined })
    const changed = await read('W/"0"')
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).toBe(meta.version)
  })

  test('A user of over 1 MiB is too large, said by its length or not', async () => {
    const large = JSON.stringify({ userName: 'x'.repeat(mebibyte) })
    expect(await corp.call('POST', '/Users', large)).toMatchObject(refused(413, 'body: must be at most 1 MiB'))
    const { token } = await newToken()
    const head = `POST /scim/${ours.id}/v2/Users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
    const chunk = `${large.length.toString(16)}\r\n${large}\r\n`
    const answer = speak(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`)
    expect(await answer).toContain('"status":"413"')
  })
})

/** As verbose as clients write them. */
const members = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    value: `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    display: 'Somebody with a long name',
    $ref: null,
    type: 'User',
  }))

describe('Large bodies', () => {
  test('96: a push of 50,000 members is read, and the members are looked for', async () => {
    expect(await corp.call('POST', '/Groups', group(members(50_000)))).toMatchObject(
      refused(400, expect.stringContaining('members'), 'invalidValue'),
    )
    const operations = [{ op: 'replace', value: { members: members(20_000) } }]
    const { body } = await corp.call('POST', '/Groups', { displayName: 'Everybody' })
    expect(await corp.call('PATCH', `/Groups/${body.id}`, { Operations: operations })).toMatchObject(
      refused(400, expect.stringContaining('members'), 'invalidValue'),
    )
  })

  test('96: 100,001 members are too many', async () => {
    expect(await corp.call('POST', '/Groups', group(members(100_001)))).toMatchObject(
      refused(413, 'members: must be at most 100000 values'),
    )
  })

  test.each([
    ['malformed', (large: string) => large.slice(0, -1), 400],
    ['of something else', () => JSON.stringify(Array(mebibyte).fill(0)), 413],
    ['over 16 MiB', () => `"${'x'.repeat(16 * mebibyte)}"`, 413],
    ['with a member twice', (large: string) => large.replace('"displayName"', '"members":[],"displayName"'), 400],
    [
      'with a member called __proto__',
      (large: string) => large.replace('"displayName"', '"__proto__":{},"displayName"'),
      400,
    ],
    ['with U+0000 in an id', (large: string) => large.replace('01890000', String.raw`\u0000`), 400],
  ])('One that is %s is refused', async (_, change, status) => {
    const large = JSON.stringify(group(members(20_000)))
    expect(await corp.call('POST', '/Groups', change(large))).toMatchObject(refused(status))
  })
})

describe('What is left of a request', () => {
  test('Whoever runs the directory reads what was refused, but not what a client looks for', async () => {
    await corp.call('POST', '/Users', { userName: '' })
    expect(await refusalsOf()).toMatchObject({
      method: 'POST',
      path: '/Users',
      status: 400,
      detail: 'userName: is required',
    })
    await corp.call('GET', '/Users/nobody')
    expect(await refusalsOf()).toMatchObject({ path: '/Users' })
    await corp.call('DELETE', '/Users/nobody?x=1')
    expect(await refusalsOf()).toMatchObject({ method: 'DELETE', path: '/Users/nobody', status: 404 })
  })

  test('103: the audit log names the directory, and finds its actions', async () => {
    const { id } = await corp.push(jo)
    const { body } = await signet.as(ours, 'GET', '/organizations/audit-log?action=createScimUser')
    expect(body.result).toMatchObject([
      { actor: { type: 'directory', id: corp.id, name: 'Corp staff' }, target: { type: 'person', id } },
    ])
    for (const action of ['changeScimGroup', 'adoptScimUser'])
      expect((await signet.as(ours, 'GET', `/organizations/audit-log?action=${action}`)).status).toBe(200)
  })

  test('Whose body does not arrive whole has changed nothing, and is a fault of nobody', async () => {
    const { token } = await newToken()
    const { port } = new URL(signet.baseUrl)
    const socket = connect(Number(port), '127.0.0.1')
    const head = `POST /scim/${ours.id}/v2/Users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`, () => socket.destroy())
    await expect.poll(refusalsOf).toMatchObject({ status: 400, detail: 'body: must arrive whole' })
    expect(signet.output()).not.toContain('request failed')
  })

  test('105: a client without a name is served', async () => {
    const { token } = await newToken()
    const head = `GET /scim/${ours.id}/v2/Users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
    expect(await speak(`${head}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200/)
  })

  test('The log has routes, and neither tokens nor what was sent', async () => {
    const { token } = await newToken()
    await ask('POST', '/Users', { ...bearer(token), 'content-type': 'application/json' }, { userName: 'secret-name' })
    await ask('GET', '/Users?filter=userName%20eq%20%22secret-name%22', bearer(token))
    await expect.poll(() => signet.output()).toContain('"route":"/scim/:organization_id/v2/Users"')
    expect(signet.output()).not.toMatch(/secret-name|signet_scim_/)
  })
})

test('104: while the database is away a request may be repeated, and one that was repeated makes one user', async () => {
  const { name, server } = { name: signet.database.database, server: { ...signet.database, database: 'postgres' } }
  const push = () => corp.call('POST', '/Users', jo)
  await administer(server, `alter database ${name} with allow_connections false`)
  try {
    await administer(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    const answer = await push()
    expect(answer).toMatchObject(refused(503))
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  } finally {
    await administer(server, `alter database ${name} with allow_connections true`)
  }
  await expect.poll(async () => (await push()).status, { timeout: 30_000 }).toBe(201)
  expect(await push()).toMatchObject(refused(409, expect.any(String), 'uniqueness'))
})
