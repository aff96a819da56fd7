import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Connections, createConnections, maxInFlightOfClient } from './connections.ts'
import { maxInFlightOfConnection } from './request-turns.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

let connections: Connections
let server: Server
/** Of streams, which begin when the test says so. */
let begins: (() => void)[]
const clients: Socket[] = []

/** `/stream` has no end, `/never` no answer, and any other request is answered with whether there are too many in flight. */
beforeEach(async () => {
  begins = []
  connections = createConnections(
    { connections: 5_000, connectionsOfAddress: 5_000, sendTimeoutMs: 60_000 },
    () => false,
  )
  const options = { keepAliveTimeout: 60_000, requestTimeout: 60_000 }
  server = connections.createServer((request, response) => {
    if (request.url === '/never') return
    if (request.url !== '/stream') return void response.end(String(connections.areTooManyInFlight(request.socket)))
    begins.push(() => {
      connections.leaveToItself(request)
      response.write(':')
    })
  }, options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  server.close()
  await once(server, 'close')
})

const port = () => (server.address() as AddressInfo).port

function send(...requests: string[]): Socket {
  const client = connect(port(), '127.0.0.1')
  client.on('error', () => {}).resume()
  client.write(requests.join(''))
  clients.push(client)
  return client
}

async function beginAll(count: number) {
  await expect.poll(() => begins.length).toBe(count)
  for (const begin of begins) begin()
}

const isTooMany = async () => (await fetch(`http://127.0.0.1:${port()}/`)).text()

test('Event streams do not count as requests in flight', async () => {
  for (let count = 0; count <= maxInFlightOfClient; count++) send(get('/stream'))
  await beginAll(maxInFlightOfClient + 1)
  expect(await isTooMany()).toBe('false')
})

test('Requests sent behind event streams do not stay in flight: their connections are closed', async () => {
  const count = 1 + Math.ceil(maxInFlightOfClient / (maxInFlightOfConnection - 1))
  const behind = get('/never').repeat(maxInFlightOfConnection - 1)
  for (let sent = 0; sent < count; sent++) send(get('/stream'), behind)
  await expect.poll(isTooMany).toBe('true')
  await beginAll(count)
  await expect.poll(isTooMany).toBe('false')
  await expect.poll(() => clients.every(({ closed }) => closed)).toBe(true)
})

test('A connection is closed when anything is sent behind an event stream that has begun, and not before', async () => {
  const client = send(get('/stream'))
  await beginAll(1)
  await expect.poll(() => client.bytesRead).toBeGreaterThan(0)
  expect(client.closed).toBe(false)
  client.write(get('/never'))
  await expect.poll(() => client.closed).toBe(true)
})

test('The requests before an event stream are answered', async () => {
  const client = send(get('/'), get('/'), get('/stream'))
  await beginAll(1)
  await expect.poll(() => client.bytesRead).toBeGreaterThan(100)
  expect(client.closed).toBe(false)
})
