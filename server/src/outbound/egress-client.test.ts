import { execFile } from 'node:child_process'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeAuthority } from '../../tests/support/certificates.ts'
import { type NameServer, startNameServer } from '../../tests/support/name-server.ts'
import { startUnrulyReceiver, type UnrulyReceiver } from '../../tests/support/unruly-receiver.ts'
import { version } from '../runtime/version.ts'
import { createEgressClient, type EgressClient, type OutboundRequest, type Outcome } from './index.ts'
import { createNameLookup } from './name-lookup.ts'

const host = 'receiver.test'
const authority = makeAuthority()

let receiver: UnrulyReceiver
let nameServer: NameServer
let egressClients: EgressClient[] = []

beforeAll(async () => {
  receiver = await startUnrulyReceiver(authority.issue([host, 'second.test', 'named.test']))
  nameServer = await startNameServer({
    'private.test': { A: ['127.0.0.1'] },
    'named.test': { A: ['127.0.0.1'] },
    'mixed.test': { A: ['93.184.216.34', '127.0.0.1'] },
    'mapped.test': { AAAA: ['0:0:0:0:0:ffff:7f00:1'] },
    'silent.test': { A: 'silent', AAAA: 'silent' },
  })
})

afterEach(async () => {
  await Promise.all(egressClients.map((egress) => egress.close()))
  egressClients = []
})

afterAll(() => Promise.all([receiver.stop(), nameServer.stop()]))

function open(options: Partial<Parameters<typeof createEgressClient>[0]> = {}): EgressClient {
  const egress = createEgressClient({
    resolve: new Map([
      [`${host}:${receiver.port}`, ['127.0.0.1']],
      [`second.test:${receiver.port}`, ['127.0.0.1']],
      [`other.test:${receiver.port}`, ['127.0.0.1']],
    ]),
    allowCidrs: [],
    maxConnections: 10,
    certificateAuthorities: [authority.certificate],
    lookUpName: createNameLookup([nameServer.address]),
    ...options,
  })
  egressClients.push(egress)
  return egress
}

const toCall = (path: string, options: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url: `https://${host}:${receiver.port}${path}`,
  headers: ['content-type', 'application/jwt'],
  body: 'signed',
  timeoutMs: 5_000,
  keepBodyBytes: 1_024,
  ...options,
})

const toSecond = (path: string) => `https://second.test:${receiver.port}${path}`
const post = (path: string, options: Partial<OutboundRequest> = {}) => open().post(toCall(path, options))
const failed = (error: string) => expect.objectContaining({ kind: 'failed', error })
const answered = (status: number, answer = 'fine') =>
  expect.objectContaining({ kind: 'answered', status, answer, truncated: false })

/** As the receiver counts them; `egress` has one open for the question itself. */
async function connections(egress: EgressClient): Promise<{ all: number; open: number }> {
  const outcome = await egress.post(toCall('/connections'))
  return JSON.parse(outcome.kind === 'answered' ? outcome.answer : '')
}

/** Until the receiver has no connection left but the one that asks it. */
const expectNoneLeft = (asking = open()) => expect.poll(async () => (await connections(asking)).open, polling).toBe(1)
const polling = { interval: 5, timeout: 3_000 }

/** So that a short deadline does not end while TLS is agreed on, on a busy machine. */
async function openConnected(): Promise<EgressClient> {
  const egress = open()
  await egress.post(toCall('/200'))
  return egress
}

/** Within what a busy machine may add. */
function expectToHaveTaken(ms: number, { durationMs }: Outcome) {
  expect(durationMs).toBeGreaterThan(ms - 2)
  expect(durationMs).toBeLessThan(ms + 1_000)
}

describe('an answer', () => {
  test.each([
    [200, 'fine'],
    [204, ''],
    [302, ''],
    [410, 'gone'],
    [500, 'broken'],
  ])('is status %d and the beginning of the body', async (status, body) => {
    expect(await post(`/${status}`)).toEqual(answered(status, body))
  })

  test('has a duration in milliseconds', async () => {
    const { durationMs } = await post('/200')
    expect(durationMs).toBeGreaterThan(0)
    expect(durationMs).toBeLessThan(5_000)
  })

  test('may come after informational ones, which are none', async () => {
    expect(await post('/early-hints')).toEqual(answered(200))
    expect(await (await openConnected()).post(toCall('/only-early-hints', { timeoutMs: 100 }))).toEqual(
      failed('timeout'),
    )
  })

  test.each(['/continue', '/folded', '/folded-by-line-feeds', '/chunks'])(
    'may be odd, and is legal: %s',
    async (path) => {
      for (const needsBody of [false, true]) expect(await post(path, { needsBody })).toEqual(answered(200))
    },
  )

  test('may end with its connection', async () => {
    expect(await post('/close')).toEqual(answered(200, 'until the end'))
  })

  test.each(['/switch', '/garbage'])('is not %s', async (path) => {
    expect(await post(path)).toEqual(failed('bad_response'))
  })

  test.each(['/two-lengths', '/length-and-chunks', '/line-feed-in-chunks'])(
    'is its status alone where nobody knows its body, which matters to who needs that: %s',
    async (path) => {
      expect(await post(path)).toMatchObject({ kind: 'answered', status: 200, truncated: true })
      expect(await post(path, { needsBody: true })).toEqual(failed('bad_response'))
    },
  )
})

test('sends every header on its line, and the body as it is', async () => {
  const outcome = await post('/echo', {
    headers: ['X-Twice', 'one', 'X-Twice', 'two', 'x-latin', '\u00e9', 'content-type', 'application/jwt'],
    body: 'a.b.c',
  })
  expect(outcome).toEqual(
    answered(
      200,
      [
        'POST /echo HTTP/1.1',
        `host: ${host}:${receiver.port}`,
        'connection: keep-alive',
        'X-Twice: one',
        'X-Twice: two',
        'x-latin: \u00e9',
        'content-type: application/jwt',
        `user-agent: Signet/${version}`,
        'accept-encoding: identity',
        'content-length: 5',
        '',
        'a.b.c',
      ].join('\r\n'),
    ),
  )
})

test.each(['User-Agent', 'user-agent'])('calls itself what a header says: %s', async (name) => {
  const outcome = await post('/echo', { headers: [name, 'Acme'] })
  const { answer } = outcome as Extract<Outcome, { kind: 'answered' }>
  expect(answer.match(/^(?:user-agent|accept-encoding):.*$/gim)).toEqual([`${name}: Acme`, 'accept-encoding: identity'])
})

test.each(['a\r\nb: c', 'a\0', 'a\u010ab: c', '\ud83d'])(
  'sends no header that would begin another line: %j',
  async (value) => {
    expect(await post('/200', { headers: ['x-a', value] })).toEqual(failed('network_error'))
  },
)

describe('the kept body', () => {
  test('is cut at a byte, but not within a character', async () => {
    expect(await post('/200', { keepBodyBytes: 3 })).toMatchObject({ answer: 'fin', truncated: true })
    expect(await post('/200', { keepBodyBytes: 4 })).toMatchObject({ answer: 'fine', truncated: false })
    expect(await post('/200', { keepBodyBytes: 0 })).toMatchObject({ answer: '', truncated: true })
    expect(await post('/euro', { keepBodyBytes: 5 })).toMatchObject({ answer: '\u20ac', truncated: true })
  })

  test('is always text', async () => {
    expect(await post('/binary')).toMatchObject({ answer: 'a\ufffd\0', truncated: false })
  })

  test('may be more than is read otherwise', async () => {
    const more = { keepBodyBytes: 100_000, maxResponseBytes: 200_000 }
    expect(await post('/endless', more)).toMatchObject({ answer: '.'.repeat(100_000) })
  })

  test('comes from a body that is read to a bound only', async () => {
    for (const needsBody of [false, true])
      expect(await post('/endless', { needsBody })).toMatchObject({
        kind: 'answered',
        answer: '.'.repeat(1_024),
        truncated: true,
      })
    await expectNoneLeft()
  })
})

describe('an answer without end', () => {
  test.each([
    ...[
      '/endless',
      '/endless-headers',
      '/endless-header',
      '/endless-extension',
      '/endless-chunks',
      '/endless-trailers',
    ],
    '/endless-500',
  ])('is its status alone, and closes the connection: %s', async (path) => {
    const status = path.endsWith('500') ? 500 : 200
    for (const needsBody of [false, true])
      expect(await post(path, { needsBody })).toMatchObject({ kind: 'answered', status, truncated: true })
    await expectNoneLeft()
  })

  test.each(['/endless-early-hints', '/endless-reason'])('has no status: %s', async (path) => {
    for (const needsBody of [false, true]) expect(await post(path, { needsBody })).toEqual(failed('answer_too_large'))
    await expectNoneLeft()
  })

  test.each(['/hang-in-headers', '/drip', '/drip-500'])(
    'is waited for a second after its status, however long it may take: %s',
    async (path) => {
      const outcome = await (await openConnected()).post(toCall(path, { timeoutMs: 20_000 }))
      expect(outcome).toMatchObject({ kind: 'answered', status: path.endsWith('500') ? 500 : 200, truncated: true })
      expect(outcome.durationMs).toBeLessThan(10_000)
    },
  )
})

describe('the deadline', () => {
  test.each([
    ['/silent', false, failed('timeout')],
    ['/drip', true, failed('timeout')],
    ['/drip', false, expect.objectContaining({ kind: 'answered', status: 200, truncated: true })],
    ['/drip-500', false, expect.objectContaining({ kind: 'answered', status: 500, truncated: true })],
  ])('holds for %s (body needed: %s) and closes the connection', async (path, needsBody, expected) => {
    const egress = await openConnected()
    const outcome = await egress.post(toCall(path, { timeoutMs: 200, needsBody }))
    expect(outcome).toEqual(expected)
    expectToHaveTaken(200, outcome)
    await expectNoneLeft()
  })

  test('holds for a connection that is accepted and then silent, and closes it', async () => {
    const silent = await listen(() => {})
    const outcome = await open(leadTo(silent)).post(toCall('/', { url: silent.url, timeoutMs: 100 }))
    expect(outcome).toEqual(failed('connect_timeout'))
    expectToHaveTaken(100, outcome)
    await silent.close()
  })

  test('holds for a name whose servers are silent', async () => {
    const outcome = await post('/', { url: 'https://silent.test', timeoutMs: 100 })
    expect(outcome).toEqual(failed('connect_timeout'))
    expectToHaveTaken(100, outcome)
  })
})

describe('a failed call', () => {
  test('is refused', async () => {
    const gone = await listen(() => {})
    await gone.close()
    expect(await open(leadTo(gone)).post(toCall('/', { url: gone.url }))).toEqual(failed('connection_refused'))
  })

  test('is cut off before an answer', async () => {
    expect(await post('/hang-up')).toEqual(failed('connection_reset'))
  })

  test.each([
    ['/cut-in-headers', ''],
    ['/cut-in-body', 'half'],
  ])('is cut off after the status, which matters to who needs the body: %s', async (path, answer) => {
    expect(await post(path)).toMatchObject({ kind: 'answered', status: 200, answer, truncated: true })
    expect(await post(path, { needsBody: true })).toEqual(failed('connection_reset'))
  })

  test('is cut off by a reset', async () => {
    const resetting = await listen((socket) => socket.resetAndDestroy())
    expect(await open(leadTo(resetting)).post(toCall('/', { url: resetting.url }))).toEqual(failed('connection_reset'))
    await resetting.close()
  })

  test('meets no TLS', async () => {
    const plain = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await open(leadTo(plain)).post(toCall('/', { url: plain.url }))).toEqual(failed('tls_error'))
    await plain.close()
  })

  test('meets a certificate for another name', async () => {
    expect(await post('/200', { url: `https://other.test:${receiver.port}/200` })).toEqual(failed('bad_certificate'))
  })

  test.each<[string, string[]]>([
    ['no other one', []],
    ['that of a mailbox', [`jo@${host}`]],
  ])('meets a certificate with a common name and %s', async (_name, alternativeNames) => {
    const named = await startUnrulyReceiver(authority.issue([host], { alternativeNames }))
    const url = `https://${host}:${named.port}/200`
    expect(await open(leadTo(named)).post(toCall('/', { url }))).toEqual(failed('bad_certificate'))
    await named.stop()
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('is asked for a certificate: %s', async (maxVersion) => {
    const { certificate, privateKey } = authority.issue([host])
    const asking = createTlsServer({
      ...{ cert: certificate, key: privateKey, ca: authority.certificate, maxVersion },
      ...{ requestCert: true, rejectUnauthorized: true },
    })
    const port = await new Promise<number>((resolve) => {
      asking.listen(0, '127.0.0.1', () => resolve((asking.address() as AddressInfo).port))
    })
    const egress = open(leadTo({ port }))
    const url = `https://${host}:${port}`
    for (let call = 0; call < 20; call++) expect(await egress.post(toCall('/', { url }))).toEqual(failed('tls_error'))
    asking.close()
  })

  test('meets a certificate of an unknown authority', async () => {
    const egress = open({ certificateAuthorities: [makeAuthority().certificate] })
    expect(await egress.post(toCall('/200'))).toEqual(failed('bad_certificate'))
  })

  test('has a name that does not exist', async () => {
    expect(await post('/', { url: 'https://nowhere.test' })).toEqual(failed('name_not_found'))
  })
})

describe('a port that is not allowed', () => {
  test('is refused, and another one is not', async () => {
    const egress = open({ allowPorts: new Set([443, receiver.port]) })
    expect(await egress.post(toCall('/200'))).toEqual(answered(200))
    expect(await egress.post(toCall('/', { url: `https://${host}:${receiver.port + 1}` }))).toEqual(
      failed('forbidden_port'),
    )
    expect(await egress.post(toCall('/', { url: 'https://nowhere.test' }))).toEqual(failed('name_not_found'))
  })
})

test('a call without a descriptor left for it says so, whether a name or a connection wants one', async () => {
  const given = JSON.stringify([authority.certificate, String(receiver.port), nameServer.address])
  const script = join(import.meta.dirname, '../../tests/support/descriptors-process.ts')
  const limited = ['-c', 'ulimit -n 80 && exec "$0" "$@"', process.execPath, script, given]
  const { stdout } = await promisify(execFile)('sh', limited)
  expect(JSON.parse(stdout)).toEqual(['no_descriptors', '200', 'no_descriptors', '200'])
})

describe('an address that is not allowed', () => {
  test.each([
    'https://private.test',
    'https://mixed.test',
    'https://mapped.test',
    'https://127.0.0.1',
    'https://127.1',
    'https://[::1]',
    'https://[::ffff:10.0.0.1]',
    'https://10.0.0.1:8443/hook',
    'http://receiver.test',
    'nonsense',
  ])('is refused: %s', async (url) => {
    expect(await post('/', { url })).toEqual(failed('forbidden_address'))
  })

  test('is refused for another port than that of the override', async () => {
    const resolve = new Map([[`private.test:${receiver.port}`, ['127.0.0.1']]])
    const url = `https://private.test:${receiver.port + 1}`
    expect(await open({ resolve }).post(toCall('/', { url }))).toEqual(failed('forbidden_address'))
  })

  test('is not connected to', async () => {
    const listening = await listen(() => expect.unreachable())
    await open().post(toCall('/', { url: `https://private.test:${listening.port}` }))
    await open().post(toCall('/', { url: `https://127.0.0.1:${listening.port}` }))
    await listening.close()
  })

  test('is taken where its range is allowed', async () => {
    const egress = open({ allowCidrs: ['127.0.0.0/8'] })
    const url = `https://private.test:${receiver.port}/200`
    expect(await egress.post(toCall('/', { url }))).toEqual(failed('bad_certificate'))
  })
})

describe('a trusted origin', () => {
  const standard = `user-agent: Signet/${version}\r\naccept-encoding: identity\r\n`

  /** Answers with what it was sent. */
  const echo = (socket: Socket) =>
    socket.on('data', (request) =>
      socket.write(
        `HTTP/1.1 200 OK\r\nX-One: 1\r\nX-Two: 2\r\nx-two: 3\r\ncontent-length: ${request.length}\r\n\r\n${request}`,
      ),
    )

  test.each(['127.0.0.1', 'localhost'])('is called by http, at any address: %s', async (name) => {
    const plain = await listen(echo)
    const origin = `http://${name}:${plain.port}`
    const egress = open({ trustedOrigins: new Set([origin]) })
    const call = { url: `${origin}/path?query`, headers: ['x-a', 'b'], timeoutMs: 5_000, keepBodyBytes: 1_024 }
    expect(await egress.get(call)).toMatchObject({
      answer: `GET /path?query HTTP/1.1\r\nhost: ${name}:${plain.port}\r\nconnection: keep-alive\r\nx-a: b\r\n${standard}\r\n`,
      headers: { 'x-one': '1', 'x-two': ['2', '3'] },
    })
    expect(await egress.post({ ...call, body: 'text' })).toMatchObject({
      answer: expect.stringMatching(/^POST .*\r\n\r\ntext$/s),
    })
    await egress.close()
    await plain.close()
  })

  test.each(['127.0.0.1', '[::1]'])('still shows its certificate: %s', async (address) => {
    const origin = `https://${address}:${receiver.port}`
    const egress = open({ trustedOrigins: new Set([origin]) })
    const error = address === '[::1]' ? 'connection_refused' : 'bad_certificate'
    expect(await egress.post(toCall('/', { url: `${origin}/200` }))).toEqual(failed(error))
  })

  test('is no other port, name or scheme', async () => {
    const egress = open({
      trustedOrigins: new Set([`http://private.test:${receiver.port}`, 'https://receiver.test:1']),
    })
    for (const url of [
      `https://private.test:${receiver.port}`,
      `http://private.test:${receiver.port + 1}`,
      `http://127.0.0.1:${receiver.port}`,
      'http://receiver.test:1',
    ])
      expect(await egress.post(toCall('/', { url }))).toEqual(failed('forbidden_address'))
  })
})

describe('connections', () => {
  test('go to the next address of a name when the first one fails', async () => {
    const egress = open({ resolve: new Map([[`${host}:${receiver.port}`, ['::1', '127.0.0.1']]]) })
    expect(await egress.post(toCall('/200'))).toEqual(answered(200))
  })

  test('are used again, one call at a time', async () => {
    const egress = open()
    const before = await connections(egress)
    await egress.post(toCall('/200'))
    expect((await connections(egress)).all).toBe(before.all)
    await Promise.all([egress.post(toCall('/200')), egress.post(toCall('/200'))])
    expect((await connections(egress)).all).toBe(before.all + 1)
  })

  test('are not used again after an answer that was not read, or one too many', async () => {
    const egress = open()
    const before = await connections(egress)
    for (const path of ['/close', '/smuggled', '/endless', '/cut-in-body']) await egress.post(toCall(path))
    expect(await egress.post(toCall('/200'))).toEqual(answered(200))
    expect((await connections(egress)).open).toBe(1)
    expect((await connections(egress)).all).toBeGreaterThan(before.all + 1)
  })

  test.each(['/close-unannounced', '/reset-unannounced', '/last'])(
    'that died before one byte of an answer are replaced, and the request is sent once more: %s',
    async (path) => {
      const egress = open()
      const url = `https://${host}:${receiver.port}`
      for (let call = 0; call < 20; call++) {
        expect(await egress.post(toCall(path))).toEqual(answered(200))
        await new Promise((resolve) => setTimeout(resolve, call % 3))
        expect(await egress.post(toCall('/200', { url: `${url}/200` }))).toEqual(answered(200))
      }
    },
  )

  test('are replaced once, and never for who needs a body', async () => {
    const egress = open()
    const last = async (needsBody: boolean) => {
      await egress.post(toCall('/last'))
      return egress.post(toCall('/hang-up', { needsBody }))
    }
    const { all } = await connections(egress)
    expect(await last(false)).toEqual(failed('connection_reset'))
    expect((await connections(egress)).all).toBe(all + 2)
    expect(await last(true)).toEqual(failed('connection_reset'))
    expect((await connections(egress)).all).toBe(all + 3)
  })

  test('on which anything came while they were idle are not used again', async () => {
    const egress = open()
    await egress.post(toCall('/more-later'))
    const asking = open()
    await expect.poll(async () => (await connections(asking)).open, polling).toBe(1)
    expect(await egress.post(toCall('/200'))).toEqual(answered(200))
  })

  test('are bounded: the longest idle one makes room', async () => {
    const egress = open({ maxConnections: 2 })
    const { all } = await connections(egress)
    await egress.post(toCall('/', { url: toSecond('/200') }))
    await egress.post(toCall('/', { url: 'https://nowhere.test' }))
    expect((await connections(egress)).all).toBe(all + 2)
  })

  test('do not count any more once the receiver has closed them', async () => {
    const egress = open({ maxConnections: 2 })
    const { all } = await connections(egress)
    await egress.post(toCall('/', { url: toSecond('/close') }))
    const asking = open()
    await expect.poll(async () => (await connections(asking)).open, polling).toBe(2)
    await egress.post(toCall('/', { url: 'https://nowhere.test' }))
    expect((await connections(egress)).all).toBe(all + 2)
  })

  test('end when the egress client closes, and so do the calls in flight', async () => {
    const egress = open()
    await egress.post(toCall('/200'))
    const call = egress.post(toCall('/silent'))
    await egress.close()
    expect(await call).toEqual(failed('stopped'))
    expect(await egress.post(toCall('/200'))).toEqual(failed('stopped'))
    await expectNoneLeft()
  })
})

type Listening = { port: number; url: string; close(): Promise<void> }

/** Plain TCP; `close` waits until every connection has been closed by the other side. */
async function listen(serve: (socket: Socket) => void): Promise<Listening> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {}).resume()
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    port,
    url: `https://${host}:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const leadTo = ({ port }: { port: number }) => ({ resolve: new Map([[`${host}:${port}`, ['127.0.0.1']]]) })
