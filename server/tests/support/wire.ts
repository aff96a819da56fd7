import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Connection, endpointOf, throughPort } from './database.ts'
import { createStatementTexts, messagesOf } from './postgres-messages.ts'

/** `waits`: how often PostgreSQL had answered all that it had been sent, and waited in the open transaction for the client's next message. */
export type WireTransaction = { statements: string[]; waits: number; end: string }

export type Wire = {
  /** For DATABASE_URL. */
  url: string
  /** The transactions that have ended since the last call. */
  ended(): WireTransaction[]
  /** The statements that were sent since the last call, in transactions and outside. */
  sent(): string[]
  /** Resets the connection on which a client sends a message with this text, once PostgreSQL has it; what that answers is lost. */
  cutAfter(text: string): void
  stop(): Promise<void>
}

/** Stands between a process and its PostgreSQL, and reads along: the messages of the protocol's version 3, without TLS. */
export async function watchWire(connection: Connection): Promise<Wire> {
  const sockets = new Set<Socket>()
  let ended: WireTransaction[] = []
  let sent: string[] = []
  let cut: string | undefined

  const server = createServer((client) => {
    const upstream = connect(endpointOf(connection))
    const reading = readAlong(
      (transaction) => ended.push(transaction),
      (statement) => sent.push(statement),
    )
    let isCut = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    client.on('data', (bytes) => {
      reading.fromClient(bytes)
      upstream.write(bytes)
      if (cut === undefined || !bytes.includes(cut)) return
      cut = undefined
      isCut = true
    })
    upstream.on('data', (bytes) => {
      reading.fromServer(bytes)
      if (isCut) client.resetAndDestroy()
      else client.write(bytes)
    })
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: throughPort(connection, (server.address() as AddressInfo).port),
    ended: () => {
      const all = ended
      ended = []
      return all
    },
    sent: () => {
      const all = sent
      sent = []
      return all
    },
    cutAfter: (text) => {
      cut = text
    },
    stop: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** Of one connection. */
function readAlong(onEnd: (transaction: WireTransaction) => void, onSent: (statement: string) => void) {
  const textOf = createStatementTexts()
  /** Messages that PostgreSQL answers with ReadyForQuery, and has not yet. */
  let unanswered = 0
  let open: WireTransaction | undefined

  const note = (text: string) => {
    if (text.startsWith('begin')) open = { statements: [], waits: 0, end: '' }
    const statement = text.replaceAll(/\s+/g, ' ').trim()
    onSent(statement)
    open?.statements.push(statement)
  }

  return {
    fromClient: messagesOf(true, (type, body) => {
      const text = textOf(type, body)
      if (text !== undefined) note(text)
      if (type === 'Q' || type === 'S') unanswered++
    }),
    fromServer: messagesOf(false, (type, body) => {
      const text = body.toString('latin1')
      if (type === 'C' && open && /^(?:COMMIT|ROLLBACK)\0/.test(text)) {
        onEnd({ ...open, end: text.slice(0, -1) })
        open = undefined
      }
      if (type !== 'Z') return
      unanswered = Math.max(0, unanswered - 1)
      if (unanswered === 0 && text !== 'I' && open) open.waits++
    }),
  }
}
