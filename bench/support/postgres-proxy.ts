import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { connectionOf } from '../../server/src/ground/database/connection.ts'
import { createStatementTexts, messagesOf } from '../../server/tests/support/postgres-messages.ts'

/**
 * What a session of Signet's sent without waiting for anything in between. The next one begins with what it sends after the server has
 * said something: one flight is one wait for the database.
 */
export type Flight = {
  session: number
  /** Wall-clock time, in milliseconds. */
  sentAt: number
  statements: string[]
  /** No transaction was open any more. */
  isLast: boolean
}

export type Proxy = {
  /** Of the same database, through the proxy. */
  url: string
  /** Since the last call. */
  take(): Flight[]
}

/** Between Signet and PostgreSQL, to see what is sent together. It reads the messages of the protocol, and changes nothing. */
export async function startProxy(url: string, cleanup: AsyncDisposableStack): Promise<Proxy> {
  const { host = 'localhost', port = 5432, user, password, database } = connectionOf(url)
  const behind = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const sockets = new Set<Socket>()
  let flights: Flight[] = []
  let sessions = 0
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...behind, noDelay: true })
    const session = watchSession(sessions++, (flight) => flights.push(flight))
    for (const [from, to, see] of [
      [client, upstream, session.sent],
      [upstream, client, session.answered],
    ] as const) {
      sockets.add(from)
      from.on('data', see).on('error', () => {})
      from.once('close', () => sockets.delete(from) && to.destroy())
      from.pipe(to)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.defer(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const login = `${encodeURIComponent(`${user}`)}${password ? `:${encodeURIComponent(`${password}`)}` : ''}`
  const { port: own } = server.address() as { port: number }
  return {
    url: `postgresql://${login}@127.0.0.1:${own}/${database}`,
    take: () => {
      const taken = flights
      flights = []
      return taken
    },
  }
}

function watchSession(session: number, begin: (flight: Flight) => void) {
  const textOf = createStatementTexts()
  let flight: Flight | undefined
  let isAnswered = true
  const readRequests = messagesOf(true, (type, body) => {
    const text = textOf(type, body)
    if (text !== undefined) flight?.statements.push(text)
  })
  const readAnswers = messagesOf(false, (type, body) => {
    if (type === 'Z' && flight) flight.isLast = body.toString('latin1') === 'I'
  })
  return {
    sent: (chunk: Buffer) => {
      if (isAnswered) {
        flight = { session, sentAt: Date.now(), statements: [], isLast: false }
        begin(flight)
      }
      isAnswered = false
      readRequests(chunk)
    },
    answered: (chunk: Buffer) => {
      isAnswered = true
      readAnswers(chunk)
    },
  }
}
