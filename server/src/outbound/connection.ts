import { isIP, type Socket } from 'node:net'
import { checkServerIdentity, connect, type PeerCertificate, type SecureContext } from 'node:tls'
import { type Families, raceAddresses } from './race-addresses.ts'
import { requestError } from './request-error.ts'

/** Who has the connection is told of it. */
export type ConnectionUser = {
  /** From now on it can be sent something. */
  onOpen(): void
  onData(bytes: Buffer): void
  /** The other side has closed it, or it failed. Nothing is told after that. */
  onEnd(error?: Error): void
}

/** To one origin, for one call at a time. */
export type Connection = {
  origin: string
  user: ConnectionUser
  /** The head in Latin-1, the body in UTF-8. */
  send(head: string, body: string): void
  /** Whether what was sent has left this process, but for the last of it: an answer may come before that is told. */
  isSent(): boolean
  /** At once, also while it is being made. The user is told only of an `error`. */
  destroy(error?: Error): void
}

/** Of one request, whose answer may come before the system has told that all of it is on its way. */
const maxUnsentBytes = 16_384

/** Connects to one of the addresses, and agrees on TLS where the URL says https. */
export function openConnection(
  url: URL,
  families: Families,
  secureContext: SecureContext,
  user: ConnectionUser,
): Connection {
  /** The last one is what is read and written. */
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
    const socket = connect({ ...toTlsOptions(url), socket: transport, secureContext })
    watch(socket, (error) => end(socket.authorizationError ? requestError('bad_certificate') : error))
    socket.once('secureConnect', () => open(socket))
  }
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
    origin: url.origin,
    user,
    send: (head, body) => write(sockets.at(-1), head, body),
    isSent: () => (sockets.at(-1)?.writableLength ?? 0) <= maxUnsentBytes,
    destroy: (error) => (error ? end(error) : destroy()),
  }
  return connection
}

/** Together, in as few packets as there can be. */
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

/** By the alternative names alone (RFC 9525, section 6.3): Node would go by the common name where there are none that fit. */
const checkIdentity = (host: string, certificate: PeerCertificate) =>
  checkServerIdentity(host, { ...certificate, subject: {} as PeerCertificate['subject'] })
