import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, vi } from 'vitest'
import { freePort } from '../../../../../scripts/free-port.ts'
import { writeConfiguration } from './configuration.ts'
import { openFolder } from './folder.ts'
import { runHaproxy } from './fronts.ts'
import { patience } from './patience.ts'
import { password, type Server } from './postgresql.ts'

type Name = 'one' | 'two'

/** HAProxy in front of two servers, of which it takes one for the primary. */
export type Way = {
  /** For Signet. */
  url: string
  /** The checks say that this one is the primary, whether or not it is; waits until no new session goes to the other one. */
  lead(name: Name): Promise<void>
  /** Cuts all sessions of that server. */
  cut(name: Name): Promise<void>
}

/** Of this machine, so that both can have the same port for the checks, as two machines would. */
const addresses: Record<Name, string> = { one: '127.0.0.2', two: '127.0.0.3' }

export async function startWay(life: AsyncDisposableStack, servers: Record<Name, Server>): Promise<Way> {
  const folder = openFolder(life)
  const [port, checkPort] = [await freePort(), await freePort()]
  let primary: Name = 'one'
  for (const [name, address] of Object.entries(addresses)) {
    // In place of Patroni's: which of the two is the primary is what the test decides.
    const check = createServer((_, response) => response.writeHead(name === primary ? 200 : 503).end())
    await once(check.listen(checkPort, address), 'listening')
    life.defer(() => {
      check.close()
      check.closeAllConnections()
    })
  }
  const file = writeConfiguration(folder, 'haproxy-postgresql.cfg', {
    'bind 127.0.0.1:5000': `bind 127.0.0.1:${port}`,
    'port 8008': `port ${checkPort}`,
    '10.0.0.11:5432': `${addresses.one}:${servers.one.port}`,
    '10.0.0.12:5432': `${addresses.two}:${servers.two.port}`,
    '  server three 10.0.0.13:5432\n': '',
  })
  const running = await runHaproxy(folder, file, port)
  life.defer(() => running.stop())
  return {
    url: `postgresql://signet:${password}@127.0.0.1:${port}/signet`,
    lead: async (name) => {
      primary = name
      const other = name === 'one' ? 'two' : 'one'
      await vi.waitFor(async () => {
        const states = await command(folder, 'show stat')
        expect([stateOf(states, name), stateOf(states, other)]).toEqual(['UP', 'DOWN'])
      }, patience)
    },
    cut: async (name) => void (await command(folder, `shutdown sessions server postgresql/${name}`)),
  }
}

/** Of HAProxy's administration. */
async function command(folder: string, line: string): Promise<string> {
  const socket = connect(join(folder, 'admin.sock'))
  socket.end(`${line}\n`)
  return text(socket)
}

/** The 18th column; while checks disagree with it, HAProxy adds how many do. */
const stateOf = (states: string, name: Name) =>
  states
    .split('\n')
    .find((line) => line.startsWith(`postgresql,${name},`))
    ?.split(',')[17]
