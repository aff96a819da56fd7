import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { Signet, SignetError, type SignetOptions } from '../src/index.ts'
import { type Fate, startUnreliableProxy } from './unreliable-proxy.ts'

const json = { 'content-type': 'application/json' }
const secret = 'signet_the_secret'

let proxy: Awaited<ReturnType<typeof startUnreliableProxy>>

beforeAll(async () => {
  proxy = await startUnreliableProxy('http://127.0.0.1:9')
})

afterAll(() => proxy?.stop())

const signet = (options: Partial<SignetOptions> = {}) =>
  new Signet({ baseUrl: proxy.baseUrl, organizationId: 'a', apiKey: secret, ...options })

async function thrownBy(work: Promise<unknown>): Promise<Error> {
  const thrown = await work.then(
    () => expect.fail('it succeeded'),
    (error) => error,
  )
  for (const text of [thrown.message, thrown.stack, JSON.stringify(thrown), String(thrown.cause)])
    expect(text).not.toContain('the_secret')
  return thrown
}

async function failureOf(work: Promise<unknown>): Promise<SignetError> {
  const failure = await thrownBy(work)
  expect(failure).toBeInstanceOf(SignetError)
  return failure as SignetError
}

test('A failure is temporary where the same request may succeed later', () => {
  const isTemporary = (status?: number) =>
    new SignetError('no', status ? new Response(null, { status }) : undefined).isTemporary
  for (const status of [undefined, 408, 425, 429, 500, 503]) expect(isTemporary(status), `${status}`).toBe(true)
  for (const status of [200, 400, 401, 403, 404, 410, 422]) expect(isTemporary(status), `${status}`).toBe(false)
})

describe('A reply that is not Signet’s', () => {
  const replies: [string, Fate & object][] = [
    ['a page with status 200', { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' }],
    ['a status 200 without a type', { status: 200 }],
    ['JSON that is a list', { status: 200, headers: json, body: '[]' }],
    ['JSON that is a text', { status: 200, headers: json, body: '"OK"' }],
    ['JSON that is null', { status: 200, headers: json, body: 'null' }],
    ['JSON of another service', { status: 200, headers: json, body: '{"status":"ok"}' }],
    ['JSON that ends too soon', { status: 200, headers: json, body: '{"result":' }],
    ['a refusal in another form', { status: 400, headers: json, body: '{"errors":[null,{"code":1}],"message":"no"}' }],
    ['a refusal that is a page', { status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>No</h1>' }],
  ]

  test.each(replies)('It is a SignetError with its status: %s', async (_, reply) => {
    proxy.plan(reply)
    expect(await failureOf(signet().listGroups())).toMatchObject({ status: reply.status, errors: [] })
    expect(proxy.seen).toHaveLength(1)
  })

  test('A redirect is neither followed nor asked for again, and the error says where to look', async () => {
    proxy.plan({ status: 307, headers: { location: 'http://127.0.0.1:9/groups' } })
    const error = await failureOf(signet().listGroups())
    expect(error).toMatchObject({ status: 307, message: expect.stringContaining('baseUrl') })
    expect(proxy.seen).toEqual(['GET /groups'])
  })

  test('A deletion that a proxy does not find when it is repeated has not succeeded', async () => {
    proxy.plan({ status: 502 }, { status: 404, headers: { 'content-type': 'text/html' }, body: 'No such site' })
    expect(await failureOf(signet().deleteGroup({ path: { group_name: 'staff' } }))).toMatchObject({ status: 404 })
  })
})

describe('A request that cannot be sent as it is meant', () => {
  test.each(['', '.', '..'])('The segment %j would make it another operation: nothing is sent', async (segment) => {
    proxy.plan()
    const path = { group_name: segment, person_id: '01890000-0000-7000-8000-000000000000' }
    const error = await thrownBy(signet().removeGroupMember({ path }))
    expect(error.message).toContain('group_name')
    expect(proxy.seen).toEqual([])
  })

  test('What a segment, a query or a header holds stays within it', async () => {
    proxy.plan({ status: 404, headers: json, body: '{"errors":[{"httpcode":404,"message":"no"}]}' })
    const path = { group_name: '../persons?x=1#y', person_id: '%2e%2e/..' }
    expect(await failureOf(signet().removeGroupMember({ path }))).toMatchObject({ status: 404, message: 'no' })
    expect(proxy.seen).toEqual(['DELETE /groups/..%2Fpersons%3Fx%3D1%23y/persons/%252e%252e%2F..'])
  })

  test.each(['the_secret\nHost: elsewhere', 'the_secret\u2028x', 'the_secret\0', 'the_secret and more'])(
    'A key that no header can hold is refused, and is not in the error',
    async (apiKey) => {
      proxy.plan()
      expect(await thrownBy(signet({ apiKey }).listGroups())).toBeInstanceOf(TypeError)
      expect(proxy.seen).toEqual([])
    },
  )
})

describe('A service that cannot be reached', () => {
  test('The error says why', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    const error = await failureOf(signet({ baseUrl: nobody, retries: 0 }).listGroups())
    expect(error).toMatchObject({ status: undefined, errors: [], message: expect.stringContaining('ECONNREFUSED') })
  })

  test('Each request has its own time limit, and a request that it ended is repeated where that is safe', async () => {
    proxy.plan('unanswered', 'unanswered', 'unanswered', 'unanswered')
    const impatient = signet({ timeoutMs: 500, retries: 1 })
    expect(await failureOf(impatient.listGroups())).toMatchObject({ cause: { name: 'TimeoutError' } })
    expect(proxy.seen).toHaveLength(2)
    await failureOf(impatient.createPerson({ body: {} }))
    expect(proxy.seen).toHaveLength(4)
    proxy.plan('unanswered')
    await failureOf(impatient.dryRunWebhook({ path: { webhook_id: crypto.randomUUID() } }))
    expect(proxy.seen).toHaveLength(1)
  })

  test('A signal limits the time of all requests and pauses together', async () => {
    proxy.plan('cut_before', 'unanswered')
    const began = performance.now()
    const error = await thrownBy(signet().listGroups({ signal: AbortSignal.timeout(600) }))
    expect(error).toMatchObject({ name: 'TimeoutError' })
    expect(error).not.toHaveProperty('isTemporary')
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(proxy.seen).toHaveLength(2)
  })

  test('A time limit that no timer can hold is none', async () => {
    proxy.plan({ status: 200, headers: json, body: '{"result":[],"meta":{}}' })
    expect((await signet({ timeoutMs: Number.POSITIVE_INFINITY }).listGroups()).result).toEqual([])
  })

  test('A body is sent again as it was', async () => {
    proxy.plan({ status: 503 }, { status: 201, headers: json, body: '{"result":{}}' })
    await signet().createGroup({ body: { name: 'staff' } })
    expect(proxy.bodies).toEqual(['{"name":"staff"}', '{"name":"staff"}'])
  })
})

describe('What is the caller’s own is thrown as the platform has it, and is never temporary', () => {
  const ofCaller = async (work: () => Promise<unknown>) => {
    proxy.plan()
    const error = await thrownBy((async () => work())())
    expect(error).not.toBeInstanceOf(SignetError)
    expect(error).not.toHaveProperty('isTemporary')
    expect(proxy.seen).toEqual([])
    return error
  }

  test('A signal that is aborted already: AbortError', async () => {
    expect(await ofCaller(() => signet().listGroups({ signal: AbortSignal.abort() }))).toHaveProperty(
      'name',
      'AbortError',
    )
  })

  test('A signal that aborts while a request is on its way: AbortError', async () => {
    proxy.plan('unanswered')
    const giving = new AbortController()
    const thrown = thrownBy(signet().listGroups({ signal: giving.signal }))
    await expect.poll(() => proxy.seen.length).toBe(1)
    giving.abort()
    expect(await thrown).toMatchObject({ name: 'AbortError' })
  })

  test.each<[string, () => Promise<unknown>]>([
    ['an empty id', () => signet().getPerson({ path: { person_id: '' } })],
    ['".." for an id', () => signet().getPerson({ path: { person_id: '..' } })],
    ['an id that is missing', () => signet().getPerson({ path: {} as { person_id: string } })],
    ['an id that is undefined', () => signet().getPerson({ path: { person_id: undefined as unknown as string } })],
    ['no path at all', () => signet().getPerson({} as { path: { person_id: string } })],
    ['a key that is no header', () => signet({ apiKey: 'a\nb' }).listGroups()],
    ['a header that is none', () => signet().listGroups({ headers: { 'Service-Correlation-Id': 'a\nb' } })],
    ['an address without http', async () => signet({ baseUrl: 'localhost:8080' }).listGroups()],
    ['an address that is none', async () => signet({ baseUrl: 'id.example.com' }).listGroups()],
  ])('An argument with which nothing can be sent: %s', async (_, work) => {
    expect(await ofCaller(work)).toBeInstanceOf(TypeError)
  })
})
