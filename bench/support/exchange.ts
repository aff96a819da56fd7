import { once } from 'node:events'
import { connect } from 'node:net'

export type Credentials = { organizationId: string; apiKey: string }

export type Exchange = {
  /** Gives the whole answer once it is there. Throws when that is not a success. One request at a time. */
  send(request: string): Promise<string>
  close(): void
}

/** `what`: method and path. */
export const textOfRequest = (
  port: number,
  what: string,
  { organizationId, apiKey }: Credentials,
  json: string,
  idempotencyKey?: string,
) => `${what} HTTP/1.1\r
host: localhost:${port}\r
service-orgid: ${organizationId}\r
service-api-key: ${apiKey}\r
${idempotencyKey === undefined ? '' : `idempotency-key: ${idempotencyKey}\r\n`}content-type: application/json\r
content-length: ${json.length}\r
\r
${json}`

/** A kept connection. The cheapest there is: a request is one text, of the answer only status and length are read. */
export async function openExchange(port: number): Promise<Exchange> {
  let answer = ''
  let current = Promise.withResolvers<string>()
  const read = (bytes: number, buffer: Uint8Array) => {
    answer += (buffer as Buffer).toString('latin1', 0, bytes)
    if (!isWhole(answer)) return true
    if (answer.startsWith('HTTP/1.1 20')) current.resolve(answer)
    else current.reject(new Error(answer))
    answer = ''
    return true
  }
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.alloc(65_536), callback: read },
  })
  await once(socket, 'connect')
  current.promise.catch(() => {})
  socket.on('close', () => current.reject(new Error('the server closed the connection')))
  const send = (request: string) => {
    current = Promise.withResolvers()
    if (socket.destroyed) current.reject(new Error('the server had closed the connection'))
    socket.write(request, 'latin1')
    return current.promise
  }
  return { send, close: () => void socket.destroy() }
}

function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  // None: a 204.
  const length = /^content-length: (\d+)/im.exec(answer)?.[1] ?? 0
  return head >= 0 && answer.length >= head + 4 + Number(length)
}
