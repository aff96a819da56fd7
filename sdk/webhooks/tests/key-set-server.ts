import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KeySetOptions } from '../src/index.ts'

export type KeySetAnswer = { status: number | 'never'; body?: object | string | undefined }

/** A server in the place of Signet's key set, which answers as it is told, or never. A redirect leads to the same body. */
export async function startKeySetServer() {
  let answer: KeySetAnswer = { status: 'never' }
  const fetches: { path: string; organizationId: string }[] = []
  const server = createServer((request, response) => {
    fetches.push({ path: request.url ?? '', organizationId: String(request.headers['service-orgid']) })
    const { status, body = '' } = request.url === '/elsewhere' ? { ...answer, status: 200 } : answer
    if (status !== 'never')
      response.writeHead(status, { location: '/elsewhere' }).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    fetches,
    answerWith: (next: KeySetAnswer) => {
      answer = next
    },
    /** Whatever the issuer is called, here is where it answers. */
    fetch: ((url, init) => fetch(`${address}${new URL(url).pathname}`, init)) satisfies KeySetOptions['fetch'],
    address,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((stopped) => server.close(stopped))
    },
  }
}
