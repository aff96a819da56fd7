import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const secretForm = /^signet_secret_[\w-]{43}$/
const unknownId = '01890000-0000-7000-8000-000000000000'
const collection = '/organizations/applications'
const noApplication = refused(404, 'application: not found')
const required = { name: 'Shop', redirect_uris: ['https://shop.example.com/callback'] }
const ownScheme = 'com.example.shop:/callback'

let signet: Signet
let ours: Organization

beforeAll(async () => {
  signet = await startOwnSignet()
})

afterAll(() => signet?.stop())

beforeEach(async () => {
  ours = await signet.organization()
})

const ask = (method: string, path: string, body?: unknown) => signet.as(ours, method, path, body)
const create = (fields: object = {}) => ask('POST', collection, { ...required, ...fields })
const get = (id: string) => ask('GET', `${collection}/${id}`)
const change = (id: string, changes: unknown) => ask('PATCH', `${collection}/${id}`, changes)
const textOf = (characters: number) => '\u{1f600}'.repeat(characters)
const urisOf = (count: number) => Array.from({ length: count }, (_, index) => `https://example.com/${index}`)
const uriOf = (length: number) => 'https://example.com/'.padEnd(length, 'a')

const nameRule = 'name: must be 1 to 200 characters'
const algorithmRule = 'id_token_signed_response_alg: must be one of RS256, ES256'
const graceRule = 'refresh_token_grace: must be a duration from 0s to 1m0s, such as 10s'
const pkceRule = 'require_pkce: must be true unless confidential is'
const nonceRule = 'require_nonce: must be true unless confidential is true and require_pkce is false'
const notLoopback = 'must be https unless the host is one of localhost, 127.0.0.1, [::1]'
const logoutUri = 'backchannel_logout_uri: must'
const introspectsRule = 'introspects: must be an array of at most 50 identifiers of resources, none of them twice'
const needsUris = 'redirect_uris: must be an array of 1 to 50 URIs, none of them twice'
const logoutUrisRule = 'post_logout_redirect_uris: must be an array of 0 to 50 URIs, none of them twice'
const noOwnScheme = 'must be https: only a public application may have a scheme of its own'

describe('The groups and the refresh token grace of an application', () => {
  test('Groups and grace are set, changed, and restored to their defaults', async () => {
    const fields = { groups_claim: false, refresh_token_grace: '1500ms' }
    const { body } = await create(fields)
    const id = body.result.client_id
    const read = async () => (await get(id)).body.result
    expect(await read()).toMatchObject({ groups_claim: false, refresh_token_grace: '1.5s' })
    expect((await change(id, { refresh_token_grace: '60s' })).body.result).toMatchObject({
      refresh_token_grace: '1m0s',
    })
    expect((await change(id, { refresh_token_grace: '1.5us' })).body.result.refresh_token_grace).toBe('1.5\u00b5s')
    expect((await change(id, { refresh_token_grace: '0s', groups_claim: true })).status).toBe(200)
    expect(await read()).toMatchObject({ groups_claim: true, refresh_token_grace: '0s' })
    expect((await change(id, { refresh_token_grace: null, groups_claim: null })).status).toBe(200)
    expect(await read()).toMatchObject({ groups_claim: true, refresh_token_grace: '10s' })
  })

  test.each(['61s', '-1s', '10', 'soon', ''])(
    'A grace of %j is refused, with everything else that is wrong',
    async (grace) => {
      const fields = { refresh_token_grace: grace, require_pkce: false }
      expect(await create(fields)).toMatchObject(refused(400, pkceRule, graceRule))
    },
  )
})

describe('Application creation', () => {
  test('A new application is 201 with its record and defaults: public, without a secret', async () => {
    const before = Date.now()
    const { status, body } = await create()
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        result: {
          client_id: expect.stringMatching(uuidv7),
          ...required,
          post_logout_redirect_uris: [],
          confidential: false,
          id_token_signed_response_alg: 'RS256',
          require_pkce: true,
          require_nonce: true,
          groups_claim: true,
          refresh_token_grace: '10s',
          introspects: [],
          backchannel_logout_session_required: true,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      },
    })
    expect(Math.abs(Date.parse(body.result.created_at) - before)).toBeLessThan(10_000)
  })

  test('All fields of an application are stored and read back as given', async () => {
    const fields = {
      name: 'Laden \u{1f6d2}',
      redirect_uris: ['https://Example.com:443/a/../b?c=%20', 'http://localhost:3000/callback', 'http://[::1]/'],
      post_logout_redirect_uris: ['https://example.com/bye'],
      confidential: true,
      id_token_signed_response_alg: 'ES256',
      require_pkce: false,
      require_nonce: false,
      home_url: 'https://example.com/?from=a@b#home',
      introspects: ['https://api.example.com', 'urn:example:api'],
      backchannel_logout_uri: 'https://example.com/logout?tenant=a@b:c',
      backchannel_logout_session_required: false,
    }
    const { client_secret, ...shown } = (await create(fields)).body.result
    expect(shown).toMatchObject(fields)
    expect((await get(shown.client_id)).body).toEqual({ result: shown })
  })

  test('The secret of a confidential application is shown once, and is different each time', async () => {
    const secrets: string[] = []
    for (const _ of [1, 2]) {
      const { client_id, client_secret } = (await create({ confidential: true })).body.result
      expect(client_secret).toMatch(secretForm)
      const later = [await get(client_id), await ask('GET', collection), await change(client_id, { name: 'Other' })]
      for (const { status, body } of later) {
        expect(status).toBe(200)
        expect(JSON.stringify(body)).not.toContain('secret')
      }
      secrets.push(client_secret)
    }
    expect(secrets[0]).not.toBe(secrets[1])
  })

  test('An application requires name and redirect_uris', async () => {
    expect(await ask('POST', collection, {})).toMatchObject(
      refused(400, 'name: is required', 'redirect_uris: is required'),
    )
  })

  test('Everything that is wrong with an application is reported at once', async () => {
    const fields = { redirect_uris: ['http://example.com', 'x'], post_logout_redirect_uris: ['#'], require_pkce: false }
    const { body } = await create(fields)
    expect(body.errors.map(({ message }: { message: string }) => message.split(':')[0])).toEqual([
      'redirect_uris[0]',
      'redirect_uris[1]',
      'post_logout_redirect_uris[0]',
      'require_pkce',
    ])
  })

  test.each<[string, object, string]>([
    ['a name that is null', { name: null }, nameRule],
    ['an empty name', { name: '' }, nameRule],
    ['a name of 201 characters', { name: textOf(201) }, nameRule],
    ['one redirect URI without its array', { redirect_uris: 'https://example.com' }, needsUris],
    ['no redirect URI', { redirect_uris: [] }, needsUris],
    ['51 redirect URIs', { redirect_uris: urisOf(51) }, needsUris],
    ['one redirect URI twice', { redirect_uris: [...urisOf(2), ...urisOf(1)] }, needsUris],
    ['redirect URIs that are null', { redirect_uris: null }, needsUris],
    ['a redirect URI that is null', { redirect_uris: [null] }, 'redirect_uris[0]: must be at most 2048 characters'],
    ['a redirect URI of 2049', { redirect_uris: [uriOf(2049)] }, 'redirect_uris[0]: must be at most 2048 characters'],
    [
      'a redirect URI with U+0000',
      { redirect_uris: ['a\u0000'] },
      'redirect_uris[0]: must not contain U+0000 or lone surrogates',
    ],
    ['51 URIs after logout', { post_logout_redirect_uris: urisOf(51) }, logoutUrisRule],
    ['confidential as text', { confidential: 'true' }, 'confidential: must be true or false'],
    ['require_pkce as a number', { require_pkce: 0 }, 'require_pkce: must be true or false'],
    ['the algorithm none', { id_token_signed_response_alg: 'none' }, algorithmRule],
    ['the algorithm HS256', { id_token_signed_response_alg: 'HS256' }, algorithmRule],
    ['no PKCE, public by default', { require_pkce: false }, pkceRule],
    ['no PKCE, public', { require_pkce: false, confidential: false }, pkceRule],
    ['no nonce, public', { require_nonce: false }, nonceRule],
    ['no nonce, with PKCE', { require_nonce: false, confidential: true }, nonceRule],
    ['a home page over http', { home_url: 'http://example.com' }, `home_url: ${notLoopback}`],
    ['a home page with a user', { home_url: 'https://a@example.com' }, 'home_url: must not have a user or password'],
    ['a home page that is a script', { home_url: 'javascript:alert(1)' }, 'home_url: must be https'],
    [
      'a home page of two lines',
      { home_url: 'https://a.example/\n' },
      'home_url: must have only the characters of a URI',
    ],
    ['a home page of 2049', { home_url: uriOf(2049) }, 'home_url: must be at most 2048 characters'],
    ['51 resources to introspect', { introspects: urisOf(51) }, introspectsRule],
    [
      'a logout URI over http',
      { backchannel_logout_uri: 'http://a.example' },
      `${logoutUri} start with https:// and a host`,
    ],
    ['a logout URI on localhost', { backchannel_logout_uri: 'https://localhost/' }, `${logoutUri} not be localhost`],
    [
      'a logout URI with a fragment',
      { backchannel_logout_uri: 'https://a.example/?a#b' },
      `${logoutUri} not have a fragment`,
    ],
    [
      'a logout URI that is an address',
      { backchannel_logout_uri: 'https://10.0.0.1/?a' },
      `${logoutUri} not be an IP address`,
    ],
    [
      'a logout URI with a user',
      { backchannel_logout_uri: 'https://a@b.example?c' },
      `${logoutUri} not have a user or password`,
    ],
    ['a client_id', { client_id: unknownId }, 'client_id: is not a known field'],
    ['a client_secret', { client_secret: 'x' }, 'client_secret: is not a known field'],
  ])('An application with %s is refused', async (_, fields, message) => {
    expect(await create(fields)).toMatchObject(refused(400, message))
  })

  test.each([
    ['a name of 200 characters', { name: textOf(200) }],
    ['50 redirect URIs', { redirect_uris: urisOf(50) }],
    ['a redirect URI of 2048 characters', { redirect_uris: [uriOf(2048)] }],
    ['redirect URIs that differ in a letter', { redirect_uris: ['https://a.example/', 'https://a.example'] }],
    ['50 URIs after logout', { post_logout_redirect_uris: urisOf(50) }],
    ['PKCE, public', { confidential: false, require_pkce: true }],
    ['PKCE, confidential', { confidential: true, require_pkce: true }],
    ['no PKCE, confidential', { confidential: true, require_pkce: false }],
    ['neither PKCE nor nonce', { confidential: true, require_pkce: false, require_nonce: false }],
    ['a home page on loopback', { home_url: 'http://localhost:3000/#/start' }],
    ['a logout URI without a path', { backchannel_logout_uri: 'https://a.example?b:c' }],
    ['RS256', { id_token_signed_response_alg: 'RS256' }],
    ['ES256', { id_token_signed_response_alg: 'ES256' }],
  ])('An application with %s is accepted', async (_, fields) => {
    expect(await create(fields)).toMatchObject({ status: 201, body: { result: fields } })
  })
})

describe.each(['redirect_uris', 'post_logout_redirect_uris'])('The URIs in %s', (field) => {
  test.each([
    'https://example.com',
    'https://example.com/callback?a=b',
    'https://192.0.2.1:8443/callback',
    'http://localhost/callback',
    'http://127.0.0.1:49152/callback',
    'http://[::1]:49152/callback',
  ])('The URI %s is accepted', async (uri) => {
    for (const confidential of [true, false]) expect((await create({ [field]: [uri], confidential })).status).toBe(201)
  })

  test.each([
    ['https://example.com/#a', 'must not have a fragment'],
    ['com.example.shop:/callback#', 'must not have a fragment'],
    ['/callback', 'must be absolute, with its scheme in lower case'],
    ['https://example.com/a b', 'must have only the characters of a URI'],
    ['https:example.com', 'must have a host'],
    ['https://user:password@example.com', 'must not have a user or password'],
    ['https://*.example.com', 'must have a valid host name'],
    ['http://example.com', 'must be https unless the host is one of localhost, 127.0.0.1, [::1]'],
  ])('The URI %s is refused', async (uri, rule) => {
    for (const confidential of [true, false])
      expect(await create({ [field]: [uri], confidential })).toMatchObject(refused(400, `${field}[0]: ${rule}`))
  })

  test.each([ownScheme, 'com.example.shop://callback'])(
    'The URI %s, of a private-use scheme, is accepted for a public application only (RFC 8252, 7.1)',
    async (uri) => {
      expect((await create({ [field]: [uri] })).status).toBe(201)
      const confidential = await create({ [field]: [uri], confidential: true })
      expect(confidential).toMatchObject(refused(400, `${field}[0]: ${noOwnScheme}`))
    },
  )

  test.each(['javascript:alert(1)', 'data:text/html,x', 'shop://callback'])(
    'The URI %s is refused, for its scheme',
    async (uri) => {
      const message = `${field}[0]: must be https, or have a scheme such as com.example.app`
      expect(await create({ [field]: [uri] })).toMatchObject(refused(400, message))
    },
  )
})

describe('Application lists and reads', () => {
  test('The list of applications has the newest first, in pages', async () => {
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.unshift((await create({ name })).body.result.client_id)
    const { status, body } = await ask('GET', collection)
    expect({ status, meta: body.meta }).toEqual({
      status: 200,
      meta: { pagination: { limit: 100, offset: 0, total_count: 3 } },
    })
    expect(body.result).toEqual(await Promise.all(ids.map(async (id) => (await get(id)).body.result)))
    const page = await ask('GET', `${collection}?limit=1&offset=1`)
    expect(page.body.result.map((each: { client_id: string }) => each.client_id)).toEqual([ids[1]])
    expect(page.body.meta.pagination).toEqual({ limit: 1, offset: 1, total_count: 3 })
  })

  test('The list of an organization without applications is empty', async () => {
    await create()
    ours = await signet.organization()
    expect((await ask('GET', collection)).body.result).toEqual([])
  })

  test('A client_id is found in upper and lower case', async () => {
    const { client_id } = (await create()).body.result
    expect((await get(client_id.toUpperCase())).body.result.client_id).toBe(client_id)
  })
})

describe('Application changes', () => {
  const fields = {
    name: 'Shop',
    redirect_uris: ['https://shop.example.com/callback'],
    post_logout_redirect_uris: ['https://shop.example.com/bye'],
    confidential: true,
    id_token_signed_response_alg: 'ES256',
    require_pkce: false,
  }

  test.each<[object, object]>([
    [{}, {}],
    [{ name: 'Other' }, { name: 'Other' }],
    [{ redirect_uris: urisOf(2) }, { redirect_uris: urisOf(2) }],
    [{ post_logout_redirect_uris: [] }, { post_logout_redirect_uris: [] }],
    [{ post_logout_redirect_uris: null }, { post_logout_redirect_uris: [] }],
    [{ id_token_signed_response_alg: 'RS256' }, { id_token_signed_response_alg: 'RS256' }],
    [{ id_token_signed_response_alg: null }, { id_token_signed_response_alg: 'RS256' }],
    [{ require_pkce: true }, { require_pkce: true }],
    [{ require_pkce: null }, { require_pkce: true }],
    [{ require_nonce: null }, { require_nonce: true }],
    [{ introspects: null }, { introspects: [] }],
    [{ introspects: ['urn:a'] }, { introspects: ['urn:a'] }],
    [{ backchannel_logout_session_required: null }, { backchannel_logout_session_required: true }],
    [{ confidential: true }, {}],
    [
      { confidential: false, require_pkce: true },
      { confidential: false, require_pkce: true },
    ],
    [
      { confidential: null, require_pkce: null, redirect_uris: [ownScheme] },
      { confidential: false, require_pkce: true, redirect_uris: [ownScheme] },
    ],
    [{ ...fields, name: 'Other' }, { name: 'Other' }],
  ])('The change %j changes what is given and nothing else', async (changes, changed) => {
    const { client_secret, ...before } = (await create(fields)).body.result
    const { status, body } = await change(before.client_id, changes)
    expect({ status, body }).toEqual({ status: 200, body: { result: { ...before, ...changed } } })
    expect((await get(before.client_id)).body).toEqual(body)
  })

  test('Addresses are changed, and removed by null', async () => {
    const { client_id } = (await create()).body.result
    const addresses = { home_url: 'https://a.example/', backchannel_logout_uri: 'https://a.example/logout' }
    expect((await change(client_id, addresses)).body.result).toMatchObject(addresses)
    const { status, body } = await change(client_id, { home_url: null, backchannel_logout_uri: null })
    expect(status).toBe(200)
    for (const field of Object.keys(addresses)) expect(body.result).not.toHaveProperty(field)
    expect((await get(client_id)).body).toEqual(body)
  })

  test.each<[unknown, string]>([
    [{ name: null }, nameRule],
    [{ redirect_uris: null }, needsUris],
    [{ redirect_uris: [] }, needsUris],
    [
      { redirect_uris: ['http://example.com'] },
      'redirect_uris[0]: must be https unless the host is one of localhost, 127.0.0.1, [::1]',
    ],
    [{ redirect_uris: [ownScheme] }, `redirect_uris[0]: ${noOwnScheme}`],
    [{ post_logout_redirect_uris: 'x' }, `${logoutUrisRule}, or null`],
    [{ confidential: false }, pkceRule],
    [{ confidential: 'no' }, 'confidential: must be true or false, or null'],
    [{ require_pkce: 0 }, 'require_pkce: must be true or false, or null'],
    [{ require_nonce: 'no' }, 'require_nonce: must be true or false, or null'],
    [{ home_url: 'x' }, 'home_url: must be absolute, with its scheme in lower case'],
    [{ backchannel_logout_uri: 'x' }, `${logoutUri} start with https:// and a host`],
    [{ id_token_signed_response_alg: 'none' }, 'id_token_signed_response_alg: must be RS256 or ES256, or null'],
    [{ client_id: unknownId }, 'client_id: is not a known field'],
    [{ client_secret: 'x' }, 'client_secret: is not a known field'],
    [[], 'body: must be an object'],
  ])('The change %j is refused, and nothing changes', async (changes, message) => {
    const { client_secret, ...before } = (await create(fields)).body.result
    expect(await change(before.client_id, changes)).toMatchObject(refused(400, message))
    expect((await get(before.client_id)).body).toEqual({ result: before })
  })

  test('An application that becomes confidential gets a secret, shown this once, and a new one when it was public in between', async () => {
    const { client_id } = (await create()).body.result
    const secrets: string[] = []
    for (const _ of [1, 2]) {
      const { client_secret, ...shown } = (await change(client_id, { confidential: true })).body.result
      expect(client_secret).toMatch(secretForm)
      expect((await get(client_id)).body).toEqual({ result: shown })
      expect((await change(client_id, { confidential: false })).body.result).toEqual({ ...shown, confidential: false })
      secrets.push(client_secret)
    }
    expect(secrets[0]).not.toBe(secrets[1])
  })

  test('A rotation gives a new secret, shown this once, and changes nothing else; a public application has none', async () => {
    const { client_secret: former, ...before } = (await create({ confidential: true, require_pkce: false })).body.result
    const rotate = (id: string) => ask('POST', `${collection}/${id}/client-secret`)
    const { status, body } = await rotate(before.client_id)
    expect({ status, result: body.result }).toEqual({
      status: 200,
      result: { ...before, client_secret: expect.stringMatching(secretForm) },
    })
    expect(body.result.client_secret).not.toBe(former)
    expect((await get(before.client_id)).body.result).toEqual(before)
    const { client_id } = (await create()).body.result
    expect(await rotate(client_id)).toMatchObject(
      refused(409, 'confidential: must be true, for a public application has no client secret'),
    )
  })

  test('An application with a private-use scheme cannot become confidential', async () => {
    const { client_id } = (await create({ redirect_uris: [...urisOf(1), ownScheme] })).body.result
    const answer = await change(client_id, { confidential: true })
    expect(answer).toMatchObject(refused(400, `redirect_uris[1]: ${noOwnScheme}`))
  })

  test('Concurrent changes of an application all take effect', async () => {
    const { client_id } = (await create({ confidential: true })).body.result
    for (const round of urisOf(10).keys()) {
      const all = [{ name: `${round}` }, { redirect_uris: urisOf(1 + round) }, { require_pkce: round % 2 === 0 }]
      const answers = await Promise.all(all.map((changes) => change(client_id, changes)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect((await get(client_id)).body.result).toMatchObject(Object.assign({}, ...all))
    }
  })
})

describe('Application deletion', () => {
  test('A deleted application is 204, and gone', async () => {
    const { client_id } = (await create()).body.result
    expect(await ask('DELETE', `${collection}/${client_id}`)).toMatchObject({ status: 204, body: undefined })
    expect(await get(client_id)).toMatchObject(noApplication)
    expect(await ask('DELETE', `${collection}/${client_id}`)).toMatchObject(noApplication)
    expect((await ask('GET', collection)).body.result).toEqual([])
  })
})

describe('Unknown applications', () => {
  test.each([
    ['GET', undefined],
    ['PATCH', { name: 'Other' }],
    ['DELETE', undefined],
  ])(
    '%s of an application is 404 for an unknown id, a malformed id, and that of another organization',
    async (method, body) => {
      const theirs = (await create()).body.result.client_id
      ours = await signet.organization()
      for (const id of [unknownId, 'x', `${unknownId}0`, theirs])
        expect(await ask(method, `${collection}/${id}`, body)).toMatchObject(noApplication)
    },
  )
})

describe('Read-only keys', () => {
  test.each([
    ['POST', '', required],
    ['PATCH', `/${unknownId}`, {}],
    ['DELETE', `/${unknownId}`, undefined],
  ])('%s /organizations/applications%s is 403 for a read-only key', async (method, path, body) => {
    const key = await ask('POST', '/organizations/api-keys', { read_only: true })
    const readOnly = { id: ours.id, apiKey: key.body.result.api_key }
    const answer = await signet.as(readOnly, method, collection + path, body)
    expect(answer).toMatchObject(
      refused(403, 'Service-API-Key: this key is read-only; it lacks the scope applications:write'),
    )
  })
})
