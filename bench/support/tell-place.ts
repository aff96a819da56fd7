import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Place } from './sign-in.ts'

/** In a child process: serves, and says where, whatever its parent asks. Ends with its parent. */
export async function tellPlace(server: Server, place: Omit<Place, 'port'>) {
  server.listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  process.on('disconnect', () => process.exit())
  process.on('message', () => process.send?.({ ...place, port } satisfies Place))
}
