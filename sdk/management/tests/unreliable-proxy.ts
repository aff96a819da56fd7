import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What becomes of one request: it is passed on; its connection ends before it was passed on, while Signet handles it, after that, or
 * within the body of the reply; or it is answered here, with this status, these headers and this body; or it is never answered.
 */
export type Fate =
  | 'passed'
  | 'cut_before'
  | 'cut_while'
  | 'cut_after'
  | 'cut_within'
  | 'unanswered'
  | { status: number; headers?: Record<string, string>; body?: string }

/** A proxy before a Signet to which what `plan` says happens, request by request; what comes after is passed on. */
export async function startUnreliableProxy(target: string) {
  const plan: Fate[] = []
  const seen: string[] = []
  const bodies: string[] = []
  const keys: (string | string[] | undefined)[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    seen.push(`${request.method} ${request.url}`)
    keys.push(request.headers['idempotency-key'])
    const fate = plan.shift() ?? 'passed'
    const body = Buffer.concat(await Array.fromAsync(request))
    bodies.push(body.toString())
    if (fate === 'cut_before') return void request.socket.destroy()
    if (fate === 'unanswered') return
    if (typeof fate === 'object') return void response.writeHead(fate.status, fate.headers).end(fate.body)
    if (fate === 'cut_while') {
      request.socket.destroy()
      return void pass(target, request, body)
    }
    const reply = await pass(target, request, body)
    if (fate === 'cut_after') return void request.socket.destroy()
    response.writeHead(reply.status, [...reply.headers].flat())
    if (fate === 'cut_within') return void response.write('{', () => request.socket.destroy())
    response.end(Buffer.from(await reply.arrayBuffer()))
  }
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    bodies,
    /** The `Idempotency-Key` of each. */
    keys,
    /** Forgets what was seen, and plans what comes. */
    plan: (...fates: Fate[]) => {
      seen.length = 0
      bodies.length = 0
      keys.length = 0
      plan.splice(0, plan.length, ...fates)
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function pass(target: string, request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<Response> {
  const { host: _, connection: __, 'transfer-encoding': ___, 'content-length': ____, ...headers } = request.headers
  return fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    ...(body.length > 0 && { body }),
  })
}
