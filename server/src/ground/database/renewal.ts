import { type Connection, endpointsOf } from './connection.ts'

/**
 * What the next connection is made with: passwords and certificates as their files are now. Where a file has become wrong, what was
 * read last stays in use, and `onProblem` is told once. Another server, database or `sslmode` is for a restart: half of a process
 * would write elsewhere.
 */
export function createRenewal(connection: Connection, onProblem: (problem: string) => void): () => Connection {
  let latest = connection
  let told = ''
  const tell = (problem: string) => {
    if (problem !== told) onProblem(problem)
    told = problem
  }
  const renew = (read: () => Connection) => {
    const renewed = read()
    requireSameServer(connection, renewed)
    latest = renewed
    told = ''
  }
  return () => {
    try {
      if (connection.renew) renew(connection.renew)
    } catch (error) {
      tell((error as Error).message)
    }
    return latest
  }
}

/** Throws an Error of one line where the connection would lead elsewhere, or be protected otherwise. */
export function requireSameServer(connection: Connection, renewed: Connection) {
  if (targetOf(renewed) !== targetOf(connection))
    throw new Error('DATABASE_URL: names another server, database or sslmode, which takes a restart')
}

const targetOf = (connection: Connection) =>
  [...endpointsOf(connection), connection.database, ...(connection.candidates ?? [connection]).map(protectionOf)].join(
    ' ',
  )

/** Of `sslmode`: whether there is TLS, and what of the server's certificate is checked. */
const protectionOf = ({ ssl }: Pick<Connection, 'ssl'>) =>
  typeof ssl === 'object' ? `tls:${ssl.rejectUnauthorized}:${ssl.checkServerIdentity === undefined}` : 'plain'
