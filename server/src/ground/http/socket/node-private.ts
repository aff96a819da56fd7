/** What is used of Node's HTTP server and is not documented: `docs/build/private-interfaces.md`. */
import type { Socket } from 'node:net'

/**
 * Puts `take` between the connection and Node's parser, and returns how bytes are passed on to that. Node's listener is on every
 * connection that an HTTP server announces. Without another listener, Node reads the bytes from the handle, where no listener sees them.
 */
export function standBeforeParser(socket: Socket, take: (bytes: Buffer) => void): (bytes: Buffer) => void {
  const [nodeParses] = socket.listeners('data')
  if (nodeParses) socket.on('data', take).removeListener('data', nodeParses as () => void)
  return (bytes) => nodeParses?.call(socket, bytes)
}

/** Replies wait to be sent. Node resumes by itself once they are, and must receive nothing before. */
export const isPausedByNode = (socket: Socket): boolean => (socket as Socket & { _paused?: boolean })._paused === true
