import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, endpointOf, throughPort } from '../../support/database.ts'

/** The network between a process and its PostgreSQL, to be broken. */
export type DatabaseProxy = {
  /** For DATABASE_URL. */
  url: string
  /** Ends so many of the present connections with a reset, in both directions. */
  cut(limit?: number): void
  /** The present connections say nothing more and are never closed; PostgreSQL's end of them is. New ones work. Gives how many. */
  goSilent(): number
  /** Nothing passes for so long. */
  stall(ms: number): void
  /** What passes takes so long, each piece its own. */
  delay(draw: () => number): void
  stop(): Promise<void>
}

type Link = { client: Socket; server: Socket; isSilent: boolean }

export async function startDatabaseProxy(connection: Connection): Promise<DatabaseProxy> {
  const endpoint = endpointOf(connection)
  const links = new Set<Link>()
  let draw = () => 0
  let stalledUntil = 0

  /** In order, each piece when its time has come. */
  const pass = (link: Link, from: Socket, to: Socket) => {
    let passed = Promise.resolve()
    let at = 0
    const soon = (action: () => void) => {
      at = Math.max(at, performance.now() + draw())
      const due = at
      passed = passed.then(async () => {
        for (let ms = due - performance.now(); ms > 0; ms = stalledUntil - performance.now()) await wait(ms)
        if (!link.isSilent) action()
      })
    }
    from.on('data', (chunk) => soon(() => to.write(chunk)))
    from.on('end', () => soon(() => to.end()))
    from.on('error', () => {})
    from.on('close', () => {
      if (from === link.client) links.delete(link)
      if (!link.isSilent) to.destroy()
    })
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const link = { client, server: connect({ ...endpoint, allowHalfOpen: true }), isSilent: false }
    links.add(link)
    pass(link, client, link.server)
    pass(link, link.server, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const open = () => [...links].filter((link) => !link.isSilent)
  return {
    url: throughPort(connection, (server.address() as AddressInfo).port),
    cut: (limit = Number.POSITIVE_INFINITY) => {
      for (const { client, server } of open().slice(0, limit)) {
        client.resetAndDestroy()
        server.destroy()
      }
    },
    goSilent: () => {
      const silenced = open()
      for (const link of silenced) {
        link.isSilent = true
        link.server.destroy()
      }
      return silenced.length
    },
    stall: (ms) => {
      stalledUntil = performance.now() + ms
    },
    delay: (drawn) => {
      draw = drawn
    },
    stop: async () => {
      server.close()
      for (const { client, server } of links) {
        client.destroy()
        server.destroy()
      }
      await once(server, 'close')
    },
  }
}
