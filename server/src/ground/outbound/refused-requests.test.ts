import { execFile } from 'node:child_process'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { makeAuthority } from '../../../../scripts/certificates.ts'
import {
  answered,
  authority,
  failed,
  host,
  leadTo,
  listen,
  nameServer,
  open,
  post,
  receiver,
  setUpEgressClients,
  toCall,
} from '../../../tests/support/egress-client.ts'
import { startUnrulyReceiver } from '../../../tests/support/unruly-receiver.ts'
import { version } from '../runtime/version.ts'

setUpEgressClients()

describe('A failed request', () => {
  test('A request fails when it is refused', async () => {
    const gone = await listen(() => {})
    await gone.close()
    expect(await open(leadTo(gone)).post(toCall('/', { url: gone.url }))).toEqual(failed('connection_refused'))
  })

  test('A request fails when it is cut off before a response', async () => {
    expect(await post('/hang-up')).toEqual(failed('connection_reset'))
  })

  test.each([
    ['/cut-in-headers', ''],
    ['/cut-in-body', 'half'],
  ])('A request that is cut off after the status fails for callers that need the body: %s', async (path, answer) => {
    expect(await post(path)).toMatchObject({ kind: 'answered', status: 200, answer, truncated: true })
    expect(await post(path, { needsBody: true })).toEqual(failed('connection_reset'))
  })

  test('A request whose response ends with TCP alone, which anybody on the way can end, fails for callers that need the body', async () => {
    const answer = 'until the end'
    expect(await post('/cut-at-end')).toMatchObject({ kind: 'answered', status: 200, answer })
    expect(await post('/cut-at-end', { needsBody: true })).toEqual(failed('connection_reset'))
    expect(await post('/cut-behind-whole', { needsBody: true })).toEqual(answered(200))
  })

  test('A request fails when it is cut off by a reset', async () => {
    const resetting = await listen((socket) => socket.resetAndDestroy())
    expect(await open(leadTo(resetting)).post(toCall('/', { url: resetting.url }))).toEqual(failed('connection_reset'))
    await resetting.close()
    expect(await post('/reset-in-body', { needsBody: true })).toEqual(failed('connection_reset'))
  })

  test('A request fails when it meets no TLS', async () => {
    const plain = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await open(leadTo(plain)).post(toCall('/', { url: plain.url }))).toEqual(failed('tls_error'))
    await plain.close()
  })

  test('A request fails when it meets a certificate for another name', async () => {
    expect(await post('/200', { url: `https://other.test:${receiver.port}/200` })).toEqual(failed('bad_certificate'))
  })

  test.each<[string, string[]]>([
    ['no other one', []],
    ['that of a mailbox', [`jo@${host}`]],
  ])('A request fails when it meets a certificate with a common name and %s', async (_name, alternativeNames) => {
    const named = await startUnrulyReceiver(authority.issue([host], { alternativeNames }))
    const url = `https://${host}:${named.port}/200`
    expect(await open(leadTo(named)).post(toCall('/', { url }))).toEqual(failed('bad_certificate'))
    await named.stop()
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'A request fails when it is asked for a certificate: %s',
    async (maxVersion) => {
      const { certificate, privateKey } = authority.issue([host])
      const asking = createTlsServer({
        cert: certificate,
        key: privateKey,
        ca: authority.certificate,
        maxVersion,
        requestCert: true,
        rejectUnauthorized: true,
      })
      const port = await new Promise<number>((resolve) => {
        asking.listen(0, '127.0.0.1', () => resolve((asking.address() as AddressInfo).port))
      })
      const egress = open(leadTo({ port }))
      const url = `https://${host}:${port}`
      for (let call = 0; call < 20; call++) expect(await egress.post(toCall('/', { url }))).toEqual(failed('tls_error'))
      asking.close()
    },
  )

  test('A request fails when it meets a certificate of an unknown authority', async () => {
    const egress = open({ certificateAuthorities: [makeAuthority().certificate] })
    expect(await egress.post(toCall('/200'))).toEqual(failed('bad_certificate'))
  })

  test('A request fails when its name does not exist', async () => {
    expect(await post('/', { url: 'https://nowhere.test' })).toEqual(failed('name_not_found'))
  })
})

describe('A port that is not allowed', () => {
  test('A port that is not allowed is refused, and another one is not', async () => {
    const egress = open({ allowPorts: new Set([443, receiver.port]) })
    expect(await egress.post(toCall('/200'))).toEqual(answered(200))
    expect(await egress.post(toCall('/', { url: `https://${host}:${receiver.port + 1}` }))).toEqual(
      failed('forbidden_port'),
    )
    expect(await egress.post(toCall('/', { url: 'https://nowhere.test' }))).toEqual(failed('name_not_found'))
  })
})

test('A request without a descriptor left for it says so, whether a name or a connection wants one', async () => {
  const settings = JSON.stringify([authority.certificate, String(receiver.port), nameServer.address])
  const script = join(import.meta.dirname, '../../../tests/support/descriptors-process.ts')
  const limited = ['-c', 'ulimit -n 80 && exec "$0" "$@"', process.execPath, script, settings]
  const { stdout } = await promisify(execFile)('sh', limited)
  expect(JSON.parse(stdout)).toEqual(['no_descriptors', '200', 'no_descriptors', '200'])
})

describe('An address that is not allowed', () => {
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
  ])('An address that is not allowed is refused: %s', async (url) => {
    expect(await post('/', { url })).toEqual(failed('forbidden_address'))
  })

  test('An address of an override is refused for another port', async () => {
    const resolve = new Map([[`private.test:${receiver.port}`, ['127.0.0.1']]])
    const url = `https://private.test:${receiver.port + 1}`
    expect(await open({ resolve }).post(toCall('/', { url }))).toEqual(failed('forbidden_address'))
  })

  test('An address that is not allowed is not connected to', async () => {
    const listening = await listen(() => expect.unreachable())
    await open().post(toCall('/', { url: `https://private.test:${listening.port}` }))
    await open().post(toCall('/', { url: `https://127.0.0.1:${listening.port}` }))
    await listening.close()
  })

  test('An address is accepted where its range is allowed', async () => {
    const egress = open({ allowCidrs: ['127.0.0.0/8'] })
    const url = `https://private.test:${receiver.port}/200`
    expect(await egress.post(toCall('/', { url }))).toEqual(failed('bad_certificate'))
  })
})

describe('A trusted origin', () => {
  const standard = `user-agent: Signet/${version}\r\naccept-encoding: identity\r\n`

  /** Answers with what it was sent. */
  const echo = (socket: Socket) =>
    socket.on('data', (request) =>
      socket.write(
        `HTTP/1.1 200 OK\r\nX-One: 1\r\nX-Two: 2\r\nx-two: 3\r\ncontent-length: ${request.length}\r\n\r\n${request}`,
      ),
    )

  test.each(['127.0.0.1', 'localhost'])('A trusted origin is called by http, at any address: %s', async (name) => {
    const plain = await listen(echo)
    const origin = `http://${name}:${plain.port}`
    const egress = open({ trustedOrigins: new Set([origin]) })
    const call = {
      url: `${origin}/path?query`,
      keptFor: 'organization',
      headers: ['x-a', 'b'],
      timeoutMs: 5_000,
      keepBodyBytes: 1_024,
    }
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

  test.each(['127.0.0.1', '[::1]'])('A trusted origin still shows its certificate: %s', async (address) => {
    const origin = `https://${address}:${receiver.port}`
    const egress = open({ trustedOrigins: new Set([origin]) })
    const error = address === '[::1]' ? 'connection_refused' : 'bad_certificate'
    expect(await egress.post(toCall('/', { url: `${origin}/200` }))).toEqual(failed(error))
  })

  test('A trusted origin is no other port, name or scheme', async () => {
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
