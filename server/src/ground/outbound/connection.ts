import { isIP, type Socket } from 'node:net'
import { checkServerIdentity, connect, type PeerCertificate, type SecureContext } from 'node:tls'
import { type Families, raceAddresses } from './race-addresses.ts'
import { requestError } from './request-error.ts'
import { watchTransport } from './watched-transport.ts'

/** Callbacks of the request that uses the connection. */
export type ConnectionUser = {
  /** The connection can be written to. */
  onOpen(): void
  onData(bytes: Buffer): void
  /** The other side closed the connection, or it failed. No callback follows. */
  onEnd(error?: Error): void
}

/** To one origin, for one request at a time. */
export type Connection = {
  user: ConnectionUser
  /** The head in Latin-1, the body in UTF-8. */
  send(head: string, body: string): void
  /** Whether all but the last 16 KiB sent has left this process: a response may arrive before the system reports the rest. */
  isSent(): boolean
  /** At once, also while connecting. Calls `onEnd` only when an `error` is passed. */
  destroy(error?: Error): void
}

const maxUnsentBytes = 16_384

type Options = {
  url: URL
  families: Families
  secureContext: SecureContext
  /** Whether the end of TCP without that of TLS is a failure (RFC 9112, 9.8). To see it takes some 17 µs of the processor for each request (measured). */
  needsTlsEnd: boolean
}

/** Connects to one of the addresses, and agrees on TLS where the URL says https. */
export function openConnection(
  { url, families, secureContext, needsTlsEnd }: Options,
  user: ConnectionUser,
): Connection {
  /** Reads and writes use the last one: with TLS there are two. */
  const sockets: Socket[] = []
  let isOver = false
  const watch = (socket: Socket, onError: (error: Error) => void = end) => {
    sockets.push(socket)
    return socket.on('error', onError).on('close', () => end())
  }
  const open = (socket: Socket) => {
    socket.on('data', (bytes: Buffer) => connection.user.onData(bytes)).on('end', () => end())
    connection.user.onOpen()
  }
  const secure = (transport: Socket) => {
    const socket = connect({
      ...toTlsOptions(url),
      socket: needsTlsEnd ? watchEnd(transport) : transport,
      secureContext,
    })
    watch(socket, (error) => end(socket.authorizationError ? requestError('bad_certificate') : error))
    socket.once('secureConnect', () => open(socket))
  }
  const watchEnd = (transport: Socket) =>
    watchTransport(transport).once('end', () => end(requestError('connection_reset')))
  const stopRace = raceAddresses(families, portOf(url), (result) => {
    if (result instanceof Error) end(result)
    else if (url.protocol === 'http:') open(watch(result))
    else secure(result)
  })
  const destroy = () => {
    isOver = true
    stopRace()
    for (const socket of sockets) socket.destroy()
  }
  const end = (error?: Error) => {
    if (isOver) return
    destroy()
    connection.user.onEnd(error)
  }
  const connection: Connection = {
    user,
    send: (head, body) => write(sockets.at(-1), head, body),
    isSent: () => (sockets.at(-1)?.writableLength ?? 0) <= maxUnsentBytes,
    destroy: (error) => (error ? end(error) : destroy()),
  }
  return connection
}

/** Corked, so that head and body share as few packets as possible. */
function write(socket: Socket | undefined, head: string, body: string) {
  socket?.cork()
  socket?.write(head, 'latin1')
  socket?.write(body)
  socket?.uncork()
}

export const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'http:' ? 80 : 443))

/** Every connection verifies the certificate anew: sessions are not resumed. */
function toTlsOptions({ hostname }: URL) {
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'], checkServerIdentity: checkIdentity }
}

/** Checks alternative names alone (RFC 9525, section 6.3): without one of a fitting type, Node would accept the common name. */
const checkIdentity = (host: string, certificate: PeerCertificate) =>
  checkServerIdentity(host, { ...certificate, subject: {} as PeerCertificate['subject'] })
