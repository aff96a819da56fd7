import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/**
 * The same connection as a stream whose end Signet sees. Node ends a TLS socket alike after a `close_notify` and after a bare end of
 * TCP, which anybody on the way can send; only the order tells them apart: a `close_notify` ends the TLS socket before TCP has ended.
 */
export function watchTransport(socket: Socket): Duplex {
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (bytes, _encoding, done) => void socket.write(bytes, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (bytes) => {
    if (!stream.push(bytes)) socket.pause()
  })
  socket.on('end', () => stream.push(null))
  socket.on('error', (error) => stream.destroy(error))
  return stream
}
