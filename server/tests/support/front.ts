import { once } from 'node:events'
import { request as call } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certified } from '../../../scripts/certificates.ts'

export type Front = {
  port: number
  /** Where requests for a host go, asked anew for each of them: the address of a service that speaks http. */
  lead(host: string, to: () => string): void
  stop(): Promise<void>
}

/** Speaks https for services that do not, as a proxy does in front of them. */
export async function startFront({ certificate, privateKey }: Certified): Promise<Front> {
  const hosts = new Map<string, () => string>()
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const { hostname } = new URL(`https://${request.headers.host}`)
    const to = hosts.get(hostname)?.()
    if (!to) return response.writeHead(502).end(`${hostname} leads nowhere`)
    const headers = { ...request.headers, 'x-forwarded-proto': 'https' }
    const passed = call(new URL(request.url ?? '', to), { method: request.method ?? '', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', (error) => response.writeHead(502).end(error.message))
    request.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    lead: (host, to) => hosts.set(host, to),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
