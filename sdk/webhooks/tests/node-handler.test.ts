import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type HandlerOptions, nodeHandler } from '../src/index.ts'
import { person, sceneOfEachTest, serve } from './handler-scene.ts'

const scene = sceneOfEachTest()

/** Listens with `listener`, and posts a good event to it by a raw connection, which the test ends. */
async function startRaw(listener: RequestListener) {
  const server = await serve(listener)
  scene.running = server
  const jwt = await scene.sender.sign('PersonDeleted_v1', person)
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const head = `POST /hook HTTP/1.1\r\nhost: a\r\ncontent-type: application/jwt\r\ncontent-length: ${jwt.length}\r\n\r\n`
  return { socket, head, jwt }
}

describe('The promise of nodeHandler, whose rejection would end the process of the receiver', () => {
  /** Of the one request that comes. */
  const ended = () => Promise.withResolvers<void>()
  const settling = (options: HandlerOptions, settled: PromiseWithResolvers<void>): RequestListener => {
    const handler = nodeHandler(options)
    return (request, response) => void handler(request, response).then(settled.resolve, settled.reject)
  }

  test.each(['headers', 'the whole answer'])(
    'The promise of nodeHandler does not reject when something else has sent %s already',
    async (sent) => {
      const settled = ended()
      const slow = Promise.withResolvers<void>()
      const handler = settling(scene.options({ handle: () => slow.promise }), settled)
      scene.running = await serve((request, response) => {
        handler(request, response)
        response.writeHead(503)
        if (sent === 'headers') response.flushHeaders()
        else response.end()
        slow.resolve()
        void settled.promise.finally(() => response.end())
      })
      expect(await scene.running.post(await scene.sender.sign('PersonDeleted_v1', person))).toEqual({
        status: 503,
        body: '',
      })
      await settled.promise
      expect(scene.errors).toMatchObject([{ code: 'ERR_HTTP_HEADERS_SENT' }])
    },
  )

  test('The promise of nodeHandler does not reject when something else has answered already and `handle` fails after that', async () => {
    const settled = ended()
    const slow = Promise.withResolvers<void>()
    const handle = async () => {
      await slow.promise
      throw new Error('too late')
    }
    const handler = settling(scene.options({ handle }), settled)
    scene.running = await serve((request, response) => {
      handler(request, response)
      response.writeHead(503).end()
    })
    expect(await scene.running.post(await scene.sender.sign('PersonDeleted_v1', person))).toMatchObject({ status: 503 })
    slow.resolve()
    await settled.promise
    expect(scene.errors).toMatchObject([{ message: 'too late' }, { code: 'ERR_HTTP_HEADERS_SENT' }])
  })

  test('The promise of nodeHandler does not reject when the sender disconnects in the middle of the body', async () => {
    const settled = ended()
    const { socket, head, jwt } = await startRaw(settling(scene.options({}), settled))
    socket.write(head + jwt.slice(0, 20), () => socket.destroy())
    await settled.promise
    expect(scene.errors).toMatchObject([{ code: 'ECONNRESET' }])
    expect(scene.handled).toEqual([])
  })

  test('The promise of nodeHandler does not reject when the sender disconnects while the event is handled', async () => {
    const [settled, closed] = [ended(), Promise.withResolvers<void>()]
    const handler = settling(scene.options({ handle: () => closed.promise }), settled)
    const { socket, head, jwt } = await startRaw((request, response) => {
      response.on('close', closed.resolve)
      handler(request, response)
      socket.destroy()
    })
    socket.write(head + jwt)
    await settled.promise
  })

  test.each([
    ['good', 204],
    ['bad', 401],
    ['giant', 413],
  ])('The promise of nodeHandler does not reject over HTTP/2, for a body that is %s', async (kind, status) => {
    const server = createHttp2Server(nodeHandler(scene.options({}))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    session.on('error', () => {})
    const stream = session.request({ ':method': 'POST', ':path': '/hook' })
    stream.on('error', () => {})
    const bodies: Record<string, string> = {
      good: await scene.sender.sign('PersonDeleted_v1', person),
      giant: 'A'.repeat(4_000_000),
    }
    stream.end(bodies[kind] ?? '{}')
    const [head] = await once(stream, 'response')
    expect(head[':status']).toBe(status)
    session.destroy()
    await new Promise((closed) => server.close(closed))
  })
})
