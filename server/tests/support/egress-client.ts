import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { makeAuthority } from '../../../scripts/certificates.ts'
import {
  createEgressClient,
  type EgressClient,
  type OutboundRequest,
  type Outcome,
} from '../../src/ground/outbound/index.ts'
import { createNameLookup } from '../../src/ground/outbound/name-lookup.ts'
import { type NameServer, startNameServer } from './name-server.ts'
import { startUnrulyReceiver, type UnrulyReceiver } from './unruly-receiver.ts'

/** An egress client, beside a receiver that behaves oddly and a name server. What is opened is closed after each test. */
export const host = 'receiver.test'
export const authority = makeAuthority()

export let receiver: UnrulyReceiver
export let nameServer: NameServer
let egressClients: EgressClient[] = []

/** Called by each file once. */
export function setUpEgressClients() {
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
}

export function open(options: Partial<Parameters<typeof createEgressClient>[0]> = {}): EgressClient {
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

export const toCall = (path: string, options: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url: `https://${host}:${receiver.port}${path}`,
  keptFor: 'organization',
  headers: ['content-type', 'application/jwt'],
  body: 'signed',
  timeoutMs: 5_000,
  keepBodyBytes: 1_024,
  ...options,
})

export const toSecond = (path: string) => `https://second.test:${receiver.port}${path}`
export const post = (path: string, options: Partial<OutboundRequest> = {}) => open().post(toCall(path, options))
export const failed = (error: string) => expect.objectContaining({ kind: 'failed', error })
export const answered = (status: number, answer = 'fine') =>
  expect.objectContaining({ kind: 'answered', status, answer, truncated: false })

/** As the receiver counts them; `egress` has one open for the question itself. */
export async function connections(egress: EgressClient): Promise<{ all: number; open: number }> {
  const outcome = await egress.post(toCall('/connections'))
  return JSON.parse(outcome.kind === 'answered' ? outcome.answer : '')
}

/** Until the receiver has no connection left but the one that asks it. */
export const expectNoneLeft = (asking = open()) =>
  expect.poll(async () => (await connections(asking)).open, polling).toBe(1)
export const polling = { interval: 5, timeout: 10_000 }

/** So that a short deadline does not end while TLS is agreed on, on a busy machine. */
export async function openConnected(): Promise<EgressClient> {
  const egress = open()
  await egress.post(toCall('/200'))
  return egress
}

/** Within what a busy machine may add. */
export function expectToHaveTaken(ms: number, { durationMs }: Outcome) {
  expect(durationMs).toBeGreaterThan(ms - 2)
  expect(durationMs).toBeLessThan(ms + 1_000)
}

type Listening = { port: number; url: string; close(): Promise<void> }

/** Plain TCP; `close` waits until every connection has been closed by the other side. */
export async function listen(serve: (socket: Socket) => void): Promise<Listening> {
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

export const leadTo = ({ port }: { port: number }) => ({ resolve: new Map([[`${host}:${port}`, ['127.0.0.1']]]) })
