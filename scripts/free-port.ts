import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the range of outgoing connections, one of which could otherwise take the port before its program listens. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 30_000)
  const server = createServer().listen(port, '127.0.0.1')
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return freePort()
  server.close()
  await once(server, 'close')
  return port
}
