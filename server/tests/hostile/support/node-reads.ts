import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Duplex } from 'node:stream'

/** How Node's own client understands the same bytes. `refused`: with the code of its parser. `cut`: the end came too early. */
export type NodeReading =
  | { end: 'whole'; status: number; body: string }
  | { end: 'refused'; code: string }
  | { end: 'cut' }

const maxHeaderSize = 131_072

export function nodeReads(bytes: Buffer): Promise<NodeReading> {
  const { promise, resolve } = Promise.withResolvers<NodeReading>()
  const connection = new Duplex({ read: () => {}, write: (_bytes, _encoding, done) => done() })
  const asked: ClientRequest & { res?: IncomingMessage } = request({
    method: 'POST',
    createConnection: () => connection,
    maxHeaderSize,
  })
  const refuse = ({ code = '' }: NodeJS.ErrnoException) => {
    // It refuses what stands behind the answer.
    if (asked.res?.complete) return
    resolve(code.startsWith('HPE_') ? { end: 'refused', code } : { end: 'cut' })
  }
  asked.on('error', refuse).on('response', (response) => void collect(response).then(resolve, refuse))
  asked.once('close', () => asked.res ?? resolve({ end: 'cut' }))
  send(asked, connection, bytes)
  return promise.finally(() => connection.destroy())
}

function send(asked: ClientRequest, connection: Duplex, bytes: Buffer) {
  asked.once('socket', () => {
    connection.push(bytes)
    connection.push(null)
  })
  asked.end('x')
}

async function collect(response: IncomingMessage): Promise<NodeReading> {
  const chunks = await Array.fromAsync<Buffer>(response)
  const body = Buffer.concat(chunks).toString('latin1')
  return response.complete ? { end: 'whole', status: response.statusCode ?? 0, body } : { end: 'cut' }
}
