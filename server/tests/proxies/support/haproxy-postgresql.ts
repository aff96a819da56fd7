import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../../../../scripts/free-port.ts'
import { writeConfiguration } from './configuration.ts'
import { openFolder } from './folder.ts'
import { runHaproxy } from './fronts.ts'
import { password, type Server } from './postgresql.ts'

type Name = 'one' | 'two'

/** HAProxy in front of two servers, of which it takes one for the primary. */
export type Way = {
  /** For Signet. */
  url: string
  /** From now on the checks say that this one is the primary, whether or not it is. */
  lead(name: Name): void
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
  })
  const running = await runHaproxy(folder, file, port)
  life.defer(() => running.stop())
  return {
    url: `postgresql://signet:${password}@127.0.0.1:${port}/signet`,
    lead: (name) => {
      primary = name
    },
    cut: async (name) => {
      const socket = connect(join(folder, 'admin.sock'))
      socket.end(`shutdown sessions server postgresql/${name}\n`)
      await text(socket)
    },
  }
}
