import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isPausedByNode, standBeforeParser } from './node-private.ts'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
/** More than the system's buffers take. */
const largeReply = Buffer.alloc(16_000_000)

let server: Server
let client: Socket
/** The server's side of the connection. */
let socket: Socket
let received: Buffer[]
let passOn: (bytes: Buffer) => void
let parsed: number

beforeEach(async () => {
  received = []
  parsed = 0
  server = createServer((_request, response) => {
    parsed++
    if (parsed === 1) response.end(largeReply)
  })
  server.on('connection', (opened) => {
    socket = opened
    passOn = standBeforeParser(opened, (bytes) => received.push(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  await once(server, 'connection')
})

afterEach(async () => {
  client.destroy()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

test("Node's parser gets nothing of a connection but what is passed on to it", async () => {
  client.write(request.repeat(2))
  await expect.poll(() => Buffer.concat(received).toString()).toBe(request.repeat(2))
  expect(parsed).toBe(0)
  passOn(Buffer.from(request))
  expect(parsed).toBe(1)
})

test('A connection whose replies wait unread is paused by Node, and resumed by it once they are read', async () => {
  passOn(Buffer.from(request))
  await expect.poll(() => socket.writableNeedDrain).toBe(true)
  expect(isPausedByNode(socket)).toBe(false)
  passOn(Buffer.from(request))
  expect({ byNode: isPausedByNode(socket), isPaused: socket.isPaused() }).toEqual({ byNode: true, isPaused: true })
  client.resume()
  await expect.poll(() => isPausedByNode(socket)).toBe(false)
  expect(socket.isPaused()).toBe(false)
})
