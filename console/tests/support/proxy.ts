import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** What happens to a request on its way; undefined: nothing. */
export type Mishap =
  | { delayMs: number }
  | { drop: true }
  /** Answered by the proxy itself. */
  | { status: number; headers?: Record<string, string>; body?: string }

export type HttpProxy = {
  baseUrl: string
  /** Asked for each request that is passed on. */
  meet(mishap: (request: IncomingMessage) => Mishap | undefined): void
  stop(): Promise<void>
}

/** In front of a Signet, which it may serve below a path. */
export async function startProxy(target: string, { prefix = '', port = 0 } = {}): Promise<HttpProxy> {
  let mishapOf: Parameters<HttpProxy['meet']>[0] = () => undefined
  const server = createServer(async (asked, response) => {
    const mishap = mishapOf(asked)
    if (!asked.url?.startsWith(prefix)) return response.writeHead(404).end('outside')
    if (mishap && 'drop' in mishap) return asked.socket.destroy()
    if (mishap && 'status' in mishap) return response.writeHead(mishap.status, mishap.headers).end(mishap.body)
    if (mishap) await wait(mishap.delayMs)
    return pass(asked, response, new URL(asked.url.slice(prefix.length) || '/', target))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://localhost:${(server.address() as AddressInfo).port}${prefix}`,
    meet: (mishap) => {
      mishapOf = mishap
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function pass(asked: IncomingMessage, response: ServerResponse, url: URL) {
  const passed = request(url, { method: asked.method ?? '', headers: asked.headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', () => response.destroy())
  response.on('close', () => passed.destroy())
  asked.pipe(passed)
}
