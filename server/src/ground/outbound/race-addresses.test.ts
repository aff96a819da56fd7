import { once } from 'node:events'
import { connect, createServer, type Server, Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { raceAddresses } from './race-addresses.ts'
import { requestError } from './request-error.ts'

/** Nobody listens there. */
const dead = '127.0.0.2'
const good = '127.0.0.1'
const alsoGood = '127.0.0.3'
/** Its queue of two connections is full, and nobody takes one from it. */
const silent = '127.0.0.4'
const silentServer = (at: number) => `
  require('node:net').createServer().listen({ port: ${at}, host: '${silent}', backlog: 1 }, () => {
    require('node:worker_threads').parentPort.postMessage('listening')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

const waiting: Socket[] = []
let blocked: Worker
const servers: Server[] = []
let port = 0

async function listen(address: string) {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  port = (server.address() as { port: number }).port
}

beforeAll(async () => {
  await listen(good)
  await listen(alsoGood)
  blocked = new Worker(silentServer(port), { eval: true })
  await once(blocked, 'message')
  for (const _ of Array(2)) waiting.push(connect(port, silent).on('error', () => {}))
  await Promise.all(waiting.map((socket) => once(socket, 'connect')))
})

afterAll(async () => {
  for (const socket of waiting) socket.destroy()
  await blocked?.terminate()
  for (const server of servers) server.close()
})

const after = <Value>(ms: number, value: Value) =>
  new Promise<Value>((resolve) => {
    setTimeout(resolve, ms, value)
  })
const never = new Promise<string[]>(() => {})
const refused = expect.objectContaining({ code: 'ECONNREFUSED' })

/** The address that took the connection, or the error. */
async function race(...families: Promise<string[]>[]): Promise<string | Error> {
  const end = await new Promise<Socket | Error>((resolve) => raceAddresses(families, port, resolve))
  if (!(end instanceof Socket)) return end
  const address = end.remoteAddress as string
  end.destroy()
  return address
}

const now = (...addresses: string[]) => Promise.resolve(addresses)

test.each<[string, Promise<string[]>[]]>([
  ['the only one', [now(good)]],
  ['after one that refuses', [now(dead, good)]],
  ['after a family that has none', [now(), now(good)]],
  ['in a family without an answer for the other', [never, now(good)]],
  ['the preferred family, without an answer for the other', [now(good), never]],
  ['of the other family, after ones that refuse', [now(dead, dead), now(good)]],
  ['that becomes known after the others have failed', [now(dead), after(150, [good])]],
  ['of the preferred family, that becomes known after the others have failed', [after(150, [good]), now(dead)]],
  ['while one that is silent is waited for', [now(silent), after(100, [good])]],
])('The race finds an address: %s', async (_name, families) => {
  expect(await race(...families)).toBe(good)
})

test('The failure of all addresses is reported once both families are answered', async () => {
  expect(await race(now(dead), after(50, [dead]))).toEqual(refused)
  expect(await race(after(50, [dead]), now())).toEqual(refused)
  expect(await race(now(), now())).toEqual(expect.objectContaining({ code: 'name_not_found' }))
})

test('No address is called where one family may not be', async () => {
  const forbidden = requestError('forbidden_address')
  expect(await race(after(50, []), Promise.reject(forbidden))).toBe(forbidden)
})

test('The preferred family goes first when it is answered soon after the other, and families take turns', async () => {
  expect(await race(after(5, [good]), now(alsoGood))).toBe(good)
  expect(await race(after(5, [dead, good]), now(alsoGood))).toBe(alsoGood)
})

test('Every address is tried, however many refuse or are silent before it', async () => {
  expect(await race(now(...Array(19).fill(dead), good))).toBe(good)
  expect(await race(now(...Array(50).fill(dead)), now(...Array(50).fill(dead), good))).toBe(good)
  expect(await race(now(...Array(12).fill(dead), silent, good))).toBe(good)
  expect(await race(now(...Array(50).fill(dead)))).toEqual(refused)
  expect(await race(now(...Array(50).fill(dead)), after(100, [good]))).toBe(good)
})

test('A name with thousands of addresses has no more than 100 called in a second', async () => {
  const began = performance.now()
  expect(await race(now(...Array(30).fill(dead)))).toEqual(refused)
  expect(performance.now() - began).toBeGreaterThanOrEqual(200)
})

test('An address is found behind more silent ones than a request has sockets', async () => {
  let most = 0
  const open = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const before = open()
  const watch = setInterval(() => {
    most = Math.max(most, open() - before)
  }, 50)
  expect(await race(now(...Array(20).fill(silent), good))).toBe(good)
  clearInterval(watch)
  // A socket that made way may still be counted, and a busy machine looks seldom.
  expect(most).toBeGreaterThan(8)
  expect(most).toBeLessThanOrEqual(17)
}, 20_000)

test('Nothing is reported once the race is stopped', async () => {
  const stop = raceAddresses([after(1, [good])], port, () => expect.unreachable())
  stop()
  await after(50, undefined)
})
