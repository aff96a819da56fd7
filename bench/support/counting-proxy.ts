import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { connectionOf } from '../../server/src/ground/database/connection.ts'

/** An address of the same database, and how many statements were sent through it. */
export type CountingProxy = { url: string; statements(): number }

/**
 * Counts the messages that carry a statement (Query and Execute, those that `log_statement = all` logs), for a role that may
 * neither read the server's log nor load an extension. Without TLS.
 */
export async function startCountingProxy(databaseUrl: string, cleanup: AsyncDisposableStack): Promise<CountingProxy> {
  const { host = 'localhost', port = 5432, user = '', password = '', database, ssl } = connectionOf(databaseUrl)
  if (ssl) throw new Error('--server: statements cannot be counted with TLS')
  const target = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port }
  let count = 0
  const proxy = createServer((client) => {
    const upstream = connect(target)
    client.on(
      'data',
      createCounter(() => count++),
    )
    pipeline(client, upstream, client, () => {})
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  cleanup.defer(() => void proxy.close())
  const login = [user, `${password}`].map(encodeURIComponent).join(':')
  const place = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return { url: `postgresql://${login}@${place}/${database}`, statements: () => count }
}

/** Of what one client sends: a start-up message, which has no type, then messages of a type and a length. */
function createCounter(onStatement: () => void) {
  let rest = Buffer.alloc(0)
  let typeLength = 0
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= typeLength + 4) {
      const end = typeLength + rest.readUInt32BE(typeLength)
      if (rest.length < end) return
      if (typeLength > 0 && 'QE'.includes(rest.toString('latin1', 0, 1))) onStatement()
      typeLength = 1
      rest = rest.subarray(end)
    }
  }
}
