import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from './config.ts'

/** Comes first: a first start that could not listen would store a base URL that was never reachable. */
export async function requirePorts(config: Config) {
  for (const port of [config.port, config.metricsPort].filter((port) => port !== undefined)) {
    const server = createServer().listen(port, config.host)
    await once(server, 'listening').catch((error) => {
      throw readable(error, config)
    })
    server.close()
    await once(server, 'close')
  }
}

/** Names the setting at fault, when the service cannot listen. */
export function readable(error: unknown, { host, metricsPort }: Config): unknown {
  const { code, port } = error as { code?: string; port?: number }
  const name = port === metricsPort ? 'SIGNET_METRICS_PORT' : 'PORT'
  if (code === 'EADDRINUSE')
    return new Error(`${name}: ${port} on ${host} is taken by another program; set ${name} to a free one`)
  if (code === 'EACCES')
    return new Error(`${name}: no right to listen on ${port} of ${host}; set ${name} to one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new Error(`HOST: ${host} is no address of this machine`)
  return error
}

/** As a program on this machine calls it: an address that stands for all of them is none to call. */
export function localUrl({ host, port }: Config): string {
  const isLocalhost = ['0.0.0.0', '::', '127.0.0.1'].includes(host)
  return new URL(`http://${isLocalhost ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`).origin
}
