import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const unknownId = '01890000-0000-7000-8000-000000000000'
const collection = '/organizations/webhooks'
const noWebhook = refused(404, 'webhook: not found')
const taken = refused(409, 'target_url: is the target of another webhook already')

let signet: Signet
let ours: Organization
let readOnly: Organization

beforeAll(async () => {
  signet = await startOwnSignet()
})

afterAll(() => signet?.stop())

beforeEach(async () => {
  ours = await signet.organization()
  const { body } = await ask('POST', '/organizations/api-keys', { read_only: true })
  readOnly = { id: ours.id, apiKey: body.result.api_key }
})

const ask = (method: string, path: string, body?: unknown) => signet.as(ours, method, path, body)
const create = (fields: object = {}) =>
  ask('POST', collection, { target_url: 'https://example.com/hook', name: 'Hook', ...fields })
const get = (id: string, organization = ours) => signet.as(organization, 'GET', `${collection}/${id}`)

const nameRule = 'name: must be 1 to 200 characters'
const descriptionRule = 'description: must be at most 1000 characters'
const timeoutRule = 'must be 0s, or a duration from 100ms to 20s, such as 500ms or 2.5s'
const textOf = (characters: number) => '\u{1f600}'.repeat(characters)
const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index))

describe('Webhook creation (4.5)', () => {
  // Proves 2.4/1, 4.5/1.
  test('A new webhook is 201 with its record, which has defaults for what was not given (2.4)', async () => {
    const before = Date.now()
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(body).toEqual({
      result: {
        id: expect.stringMatching(uuidv7),
        target_url: 'https://example.com/hook',
        name: 'Hook',
        description: '',
        custom_headers: {},
        timeout: '0s',
        enabled: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    })
    expect(Math.abs(Date.parse(body.result.created_at) - before)).toBeLessThan(10_000)
  })

  // Proves 2.4/4, 2.4/5, 2.4/6, 4.5/3.
  test('All fields of a webhook are stored and read back as given (2.4)', async () => {
    const fields = {
      target_url: 'https://Example.com:443/a/../hook',
      name: 'Übergabe \u{1f4ee}',
      description: 'Zwei\nZeilen',
      custom_headers: { 'X-Token': ['secret', 'second'], authorization: ['Bearer x'] },
      timeout: '2.5s',
    }
    const { body } = await create(fields)
    expect(body.result).toMatchObject(fields)
    expect((await get(body.result.id)).body).toEqual(body)
  })

  // Proves 2.4/4.
  test('A webhook requires target_url and name', async () => {
    expect(await ask('POST', collection, {})).toMatchObject(
      refused(400, 'target_url: is required', 'name: is required'),
    )
  })

  // Proves 4.5/3.
  test('Everything that is wrong with a webhook is reported at once', async () => {
    const fields = { target_url: 'http://example.com', timeout: '1h', custom_headers: { Host: ['x'] } }
    const { body } = await create(fields)
    expect(body.errors.map(({ message }: { message: string }) => message.split(/[:.]/)[0])).toEqual([
      'target_url',
      'timeout',
      'custom_headers',
    ])
  })

  // Proves 2.4/4, 2.4/5, 4.5/3.
  test.each<[string, object, string]>([
    ['a target_url that is a number', { target_url: 5 }, 'target_url: must be a string'],
    ['a target_url that is null', { target_url: null }, 'target_url: must be a string'],
    ['a name that is a number', { name: 5 }, nameRule],
    ['a name that is null', { name: null }, nameRule],
    ['an empty name', { name: '' }, nameRule],
    ['a name of 201 characters', { name: textOf(201) }, nameRule],
    ['a name with U+0000', { name: 'a\u0000' }, 'name: must not contain U+0000 or lone surrogates'],
    ['a description that is a number', { description: 5 }, descriptionRule],
    ['a description of 1001 characters', { description: textOf(1001) }, descriptionRule],
    ['a timeout that is a number', { timeout: 5 }, `timeout: ${timeoutRule}`],
    ['an id', { id: unknownId }, 'id: is not a known field'],
    ['triggers', { triggers: [] }, 'triggers: is not a known field'],
  ])('A webhook with %s is refused', async (_, fields, message) => {
    expect(await create(fields)).toMatchObject(refused(400, message))
  })

  // Proves 2.4/4, 2.4/5.
  test.each([
    ['a name of 1 character', { name: '\u{1f600}' }],
    ['a name of 200 characters', { name: textOf(200) }],
    ['an empty description', { description: '' }],
    ['a description of 1000 characters', { description: textOf(1000) }],
  ])('A webhook with %s is accepted', async (_, fields) => {
    expect(await create(fields)).toMatchObject({ status: 201, body: { result: fields } })
  })

  test('A webhook beyond max_webhooks of the pricing tier is 402', async () => {
    ours = await signet.organization({ pricing_tier: 'free' })
    for (const number of numbered(5))
      expect((await create({ target_url: `https://example.com/${number}` })).status).toBe(201)
    expect(await create()).toMatchObject(refused(402, 'webhooks: the pricing tier allows at most 5'))
  })
})

describe('The timeout (2.4), a Go duration: 0s, or from 100ms to 20s', () => {
  // Proves 2.4/9.
  test.each([
    ['0', '0s'],
    ['0s', '0s'],
    ['-0s', '0s'],
    ['100ms', '100ms'],
    ['100000us', '100ms'],
    ['100.001ms', '100.001ms'],
    ['500ms', '500ms'],
    ['1.5s', '1.5s'],
    ['0m9s1000ms', '10s'],
    ['20s', '20s'],
  ])('The timeout %s reads back as %s', async (timeout, shown) => {
    expect((await create({ timeout })).body.result.timeout).toBe(shown)
  })

  test.each([
    '',
    '5',
    '-1s',
    '1ns',
    '1us',
    '99ms',
    '99.999999ms',
    '-100ms',
    '20.000000001s',
    '21s',
    '1m',
    ' 1s',
    '1 s',
    'ten seconds',
  ])('The timeout %j is refused', async (timeout) => {
    expect(await create({ timeout })).toMatchObject(refused(400, `timeout: ${timeoutRule}`))
    const { id } = (await create()).body.result
    const change = await signet.as(ours, 'PATCH', `/organizations/webhooks/${id}`, { timeout })
    expect(change).toMatchObject(refused(400, `timeout: ${timeoutRule}`))
  })
})

describe('Custom headers (2.4)', () => {
  const badName = "a name must be one or more of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~"
  const badValue = 'a value must be Latin-1 text without control characters, and without blanks at its ends'
  const badShape = 'must be an object, from header names to arrays of values'
  const tooManyLines = 'custom_headers: must be at most 50 lines, one for each value'
  const tooManyBytes = 'custom_headers: must be at most 16384 bytes, names and values together'
  const fifty = Object.fromEntries(numbered(50).map((name) => [name, ['v']]))

  test.each<[string, object]>([
    ['50 lines of one name', { a: numbered(50) }],
    ['50 names', fifty],
    ['16 KiB', { name: ['v'.repeat(16_380)] }],
    ['every character a name may have', { "!#$%&'*+-.^_`|~09azAZ": ['v'] }],
    ['an empty value, blanks and tabs within, Latin-1', { a: ['', 'a b\tc', '\u00e9'] }],
  ])('Custom headers with %s are accepted', async (_, custom_headers) => {
    expect(await create({ custom_headers })).toMatchObject({ status: 201, body: { result: { custom_headers } } })
  })

  test.each<[string, unknown, string]>([
    ['51 lines of one name', { a: numbered(51) }, tooManyLines],
    ['51 names', { ...fifty, b: ['v'] }, tooManyLines],
    ['16 KiB and a byte', { name: ['v'.repeat(16_381)] }, tooManyBytes],
    ['a name without a value', { a: [] }, 'custom_headers: each name must have at least one value'],
    ['one name in two spellings', { 'X-A': ['1'], 'x-a': ['2'] }, 'custom_headers.x-a: is given in two spellings'],
    ['a string for an object', 'a: b', `custom_headers: ${badShape}`],
    ['an array for an object', [], `custom_headers: ${badShape}`],
    ['a value that is no array', { a: 'b' }, 'custom_headers.a: must be an array'],
    ['a value that is no string', { a: ['b', 5] }, 'custom_headers.a[1]: must be a string'],
    ['U+0000', { a: ['b\u0000'] }, 'custom_headers.a[0]: must not contain U+0000 or lone surrogates'],
  ])('Custom headers with %s are refused', async (_, custom_headers, message) => {
    expect(await create({ custom_headers })).toMatchObject(refused(400, message))
  })

  // Proves 2.4/6.
  test.each(['', 'a b', 'a:', 'a\n', 'a\r\nb', '(a)', 'a/b', '\u00e9'])(
    'The header name %j is refused',
    async (name) => {
      const message = `custom_headers.${name}: ${badName}`
      expect(await create({ custom_headers: { [name]: ['v'] } })).toMatchObject(refused(400, message))
    },
  )

  // Proves 2.4/6.
  test.each(['\r', 'v\n', 'v\r\nx-evil: 1', 'a\u007fb', '\u20ac', ' v', 'v ', '\t'])(
    'The header value %j is refused',
    async (value) => {
      expect(await create({ custom_headers: { a: [value] } })).toMatchObject(
        refused(400, `custom_headers.a: ${badValue}`),
      )
    },
  )

  // Proves 2.4/6.
  test.each([
    'content-type',
    'Content-Length',
    'CONTENT-ENCODING',
    'Host',
    'transfer-encoding',
    'Connection',
    'keep-alive',
    'Upgrade',
    'expect',
    'TE',
    'trailer',
  ])('The header %s is not allowed', async (name) => {
    const message = `custom_headers.${name}: is not allowed`
    expect(await create({ custom_headers: { [name]: ['v'] } })).toMatchObject(refused(400, message))
  })

  test('Custom headers are shown only to keys that may write', async () => {
    const { id, custom_headers, ...others } = (await create({ custom_headers: { a: ['secret'] } })).body.result
    expect(custom_headers).toEqual({ a: ['secret'] })
    expect((await get(id)).body.result).toEqual({ id, custom_headers, ...others })
    expect((await get(id, readOnly)).body.result).toEqual({ id, ...others })
    const list = await signet.as(readOnly, 'GET', collection)
    expect(list.body.result).toEqual([{ id, ...others }])
    expect((await ask('GET', collection)).body.result).toEqual([{ id, custom_headers, ...others }])
  })
})

describe('The target of a webhook, unique within the organization (2.4)', () => {
  const target_url = 'https://example.com/hook'

  // Proves 2.4/3, 8/5.
  test.each([
    target_url,
    'https://EXAMPLE.com/hook',
    'https://example.com:443/hook',
    'https://example.com/a/../hook',
    'https://example.com/./hook',
    'https://\uff45xample\u3002com/hook',
  ])('The target %j conflicts with https://example.com/hook: 409', async (spelling) => {
    await create({ target_url })
    expect(await create({ target_url: spelling })).toMatchObject(taken)
    const other = await addWebhook(signet, ours, 'https://example.com/other')
    expect(await ask('PATCH', `${collection}/${other}`, { target_url: spelling })).toMatchObject(taken)
    expect((await get(other)).body.result.target_url).toBe('https://example.com/other')
  })

  // Proves 2.4/3.
  test.each([
    'https://example.com/Hook',
    'https://example.com/hook/',
    'https://example.com//hook',
    'https://example.com:8443/hook',
    'https://www.example.com/hook',
    'https://example.com/%68ook',
  ])('The target %j differs from https://example.com/hook', async (other) => {
    await create({ target_url })
    expect(await create({ target_url: other })).toMatchObject({ status: 201, body: { result: { target_url: other } } })
  })

  // Proves 2.4/3.
  test('The target of a webhook may be used by another organization', async () => {
    await create({ target_url })
    ours = await signet.organization()
    expect((await create({ target_url })).status).toBe(201)
  })

  test('The target of a webhook may be changed to another spelling of its own', async () => {
    const { id } = (await create({ target_url })).body.result
    const spelling = 'https://Example.com:443/hook'
    const { status, body } = await ask('PATCH', `${collection}/${id}`, { target_url: spelling })
    expect({ status, shown: body.result.target_url }).toEqual({ status: 200, shown: spelling })
  })

  test('The target of a webhook is free again when the webhook has another, or is deleted', async () => {
    const { id } = (await create({ target_url })).body.result
    await ask('PATCH', `${collection}/${id}`, { target_url: 'https://example.com/other' })
    const second = (await create({ target_url })).body.result
    await ask('DELETE', `${collection}/${second.id}`)
    expect((await create({ target_url })).status).toBe(201)
  })
})

describe('Webhook lists and reads', () => {
  test('The list of webhooks has the newest first, in pages', async () => {
    const ids: string[] = []
    for (const number of numbered(3)) ids.push(await addWebhook(signet, ours, `https://example.com/${number}`))
    const { status, body } = await ask('GET', collection)
    expect({ status, meta: body.meta }).toEqual({
      status: 200,
      meta: { pagination: { limit: 100, offset: 0, total_count: 3 } },
    })
    expect(body.result).toEqual(await Promise.all(ids.toReversed().map(async (id) => (await get(id)).body.result)))
    const page = await ask('GET', `${collection}?limit=1&offset=1`)
    expect(page.body.result.map(({ id }: { id: string }) => id)).toEqual([ids[1]])
    expect(page.body.meta.pagination).toEqual({ limit: 1, offset: 1, total_count: 3 })
  })

  test('The list of an organization without webhooks is empty', async () => {
    await addWebhook(signet, await signet.organization(), 'https://example.com')
    expect((await ask('GET', collection)).body.result).toEqual([])
  })

  test('A webhook id is found in upper and lower case', async () => {
    const { id } = (await create()).body.result
    expect((await get(id.toUpperCase())).body.result.id).toBe(id)
  })
})

describe('Webhook changes', () => {
  const fields = {
    target_url: 'https://example.com/hook',
    name: 'Hook',
    description: 'What for',
    custom_headers: { 'X-A': ['1'], 'X-B': ['2'] },
    timeout: '5s',
  }

  test.each<[object, object]>([
    [{}, {}],
    [{ name: 'Other' }, { name: 'Other' }],
    [{ target_url: 'https://example.com/other' }, { target_url: 'https://example.com/other' }],
    [{ description: '' }, { description: '' }],
    [{ description: null }, { description: '' }],
    [{ timeout: '20s' }, { timeout: '20s' }],
    [{ timeout: null }, { timeout: '0s' }],
    [{ custom_headers: { 'x-b': ['3'] } }, { custom_headers: { 'x-b': ['3'] } }],
    [{ custom_headers: {} }, { custom_headers: {} }],
    [{ custom_headers: null }, { custom_headers: {} }],
    [{ ...fields, name: 'Other' }, { name: 'Other' }],
  ])('The change %j changes what is given and nothing else', async (changes, changed) => {
    const before = (await create(fields)).body.result
    const { status, body } = await ask('PATCH', `${collection}/${before.id}`, changes)
    expect({ status, body }).toEqual({ status: 200, body: { result: { ...before, ...changed } } })
    expect((await get(before.id)).body).toEqual(body)
  })

  test.each<[unknown, string]>([
    [{ target_url: null }, 'target_url: must be a string'],
    [
      { target_url: 'https://localhost' },
      'target_url: must not be localhost; signet listen --forward-to http://localhost:3000/hook brings webhooks to your own machine',
    ],
    [{ name: null }, nameRule],
    [{ name: '' }, nameRule],
    [{ description: 5 }, `${descriptionRule}, or null`],
    [{ timeout: '21s' }, `timeout: ${timeoutRule}`],
    [{ timeout: 5 }, `timeout: ${timeoutRule}, or null`],
    [{ custom_headers: { Host: ['x'] } }, 'custom_headers.Host: is not allowed'],
    [{ id: unknownId }, 'id: is not a known field'],
    [{ created_at: '2030-01-01T00:00:00Z' }, 'created_at: is not a known field'],
    [[], 'body: must be an object'],
  ])('The change %j is refused, and nothing changes', async (changes, message) => {
    const before = (await create(fields)).body
    const answer = await ask('PATCH', `${collection}/${before.result.id}`, changes)
    expect(answer).toMatchObject(refused(400, message))
    expect((await get(before.result.id)).body).toEqual(before)
  })
})

describe('Webhook deletion', () => {
  test('A deleted webhook is 204, and gone with its triggers', async () => {
    const id = await addWebhook(signet, ours, 'https://example.com', ['PersonCreated_v1'])
    expect(await ask('DELETE', `${collection}/${id}`)).toMatchObject({ status: 204, body: undefined })
    expect(await get(id)).toMatchObject(noWebhook)
    expect(await ask('GET', `${collection}/${id}/triggers`)).toMatchObject(noWebhook)
    expect(await ask('DELETE', `${collection}/${id}`)).toMatchObject(noWebhook)
    expect((await ask('GET', collection)).body.result).toEqual([])
  })
})

describe('Unknown webhooks', () => {
  test.each([
    ['GET', undefined],
    ['PATCH', { name: 'Other' }],
    ['DELETE', undefined],
  ])(
    '%s of a webhook is 404 for an unknown id, a malformed id, and that of another organization',
    async (method, body) => {
      const theirs = await addWebhook(signet, await signet.organization(), 'https://example.com')
      for (const id of [unknownId, 'x', `${unknownId}0`, theirs])
        expect(await ask(method, `${collection}/${id}`, body)).toMatchObject(noWebhook)
    },
  )
})

describe('Read-only keys', () => {
  test.each([
    ['POST', '', { target_url: 'https://example.com', name: 'x' }],
    ['PATCH', `/${unknownId}`, {}],
    ['DELETE', `/${unknownId}`, undefined],
    ['POST', `/${unknownId}/triggers`, { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }],
    ['DELETE', `/${unknownId}/triggers?trigger_type=event&trigger_name=PersonCreated_v1`, undefined],
  ])('%s /organizations/webhooks%s is 403 for a read-only key', async (method, path, body) => {
    const answer = await signet.as(readOnly, method, collection + path, body)
    expect(answer).toMatchObject(
      refused(403, 'Service-API-Key: this key is read-only; it lacks the scope webhooks:write'),
    )
  })
})
