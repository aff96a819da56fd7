import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type pg from 'pg'

/** One way to reach the database: host, port and TLS. */
type Candidate = Pick<pg.ClientConfig, 'host' | 'port' | 'ssl'>

/**
 * The parsed `DATABASE_URL`. `candidates` are tried in order until one is a server that takes writes: several hosts, and
 * with `sslmode=prefer` or `allow` each with and without TLS. When absent, the other fields are the only candidate.
 */
export type Connection = pg.ClientConfig & { candidates?: Candidate[] }

const defaultPort = 5432
export const connectTimeoutMs = 5_000

const form =
  'must be a postgresql:// address: postgresql://[user[:password]@]host[:port][,host[:port]…][/database][?parameters]'
const encoded = 'in a user name, password or database the characters @ : / ? # % must be percent-encoded (@ is %40)'

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']
/** Signet needs a server that takes writes. */
const sessionAttributes = ['any', 'read-write', 'primary']

/** The libpq parameters that Signet reads. Others are refused, as by libpq: a misspelt one would have no effect. */
const parameterNames = new Set([
  ...['host', 'port', 'user', 'password', 'dbname', 'application_name', 'options', 'connect_timeout'],
  ...['target_session_attrs', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'],
])

/**
 * Reads a connection URI as libpq reads it (34.1.1.2): several hosts, sockets by `host=/folder`, `sslmode` and its files,
 * `target_session_attrs`. A problem is described without quoting the URI, because that holds a password.
 */
export function readConnection(text: string): { value: Connection } | { problem: string } {
  try {
    return { value: toConnection(text) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/** The same for a URI that is known to be valid. */
export function connectionOf(databaseUrl: string): Connection {
  const read = readConnection(databaseUrl)
  if ('problem' in read) throw new Error(`DATABASE_URL: ${read.problem}`)
  return read.value
}

function toConnection(text: string): Connection {
  const [, authority, path = '', query = ''] =
    /^postgres(?:ql)?:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(text) ?? []
  if (authority === undefined) throw new Error(form)
  if (/[\s#]/.test(text) || /[/@]/.test(path) || query.includes('@')) throw new Error(encoded)
  const [hosts = '', login = '', ...more] = authority.split('@').reverse()
  if (more.length > 0) throw new Error(encoded)
  const [user = '', password = '', ...rest] = login.split(':')
  if (rest.length > 0) throw new Error(encoded)
  const parameters = parametersIn(query)
  const connection = withoutEmpty({
    user: parameters.user ?? decode(user),
    password: parameters.password ?? decode(password),
    database: parameters.dbname ?? decode(path),
    application_name: parameters.application_name,
    options: parameters.options,
  })
  const addresses = hostsIn(hosts, parameters)
  const candidates = addresses.flatMap((host) => variantsFor(host, parameters).map((ssl) => ({ ...host, ssl })))
  const [first] = candidates as [Candidate]
  return {
    fallback_application_name: 'signet',
    connectionTimeoutMillis: timeoutIn(parameters.connect_timeout),
    ...connection,
    ...first,
    ...(candidates.length > 1 && { candidates }),
  }
}

const withoutEmpty = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value)) as Partial<Fields>

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(encoded)
  }
}

function parametersIn(query: string): Record<string, string | undefined> {
  const parameters: Record<string, string> = {}
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', value, ...more] = pair.split('=')
    if (value === undefined || more.length > 0) throw new Error('each parameter must be name=value')
    if (!parameterNames.has(name)) throw new Error(`each parameter must be one of ${[...parameterNames].join(', ')}`)
    parameters[name] = decode(value)
  }
  if (parameters.sslmode && !sslModes.includes(parameters.sslmode))
    throw new Error(`sslmode must be one of ${sslModes.join(', ')}`)
  if (parameters.target_session_attrs && !sessionAttributes.includes(parameters.target_session_attrs))
    throw new Error(`target_session_attrs must be one of ${sessionAttributes.join(', ')}: Signet writes`)
  return parameters
}

/** As in libpq: as many ports as hosts, one for all, or none. The parameters `host` and `port` override those before the path. */
function hostsIn(
  hosts: string,
  { host, port }: Record<string, string | undefined>,
): Pick<Candidate, 'host' | 'port'>[] {
  const listed = hosts.split(',').map((each) => /^(\[[\da-fA-F:.]+(?:%\w+)?\]|[\w.%-]*)(?::(\d*))?$/.exec(each))
  if (listed.includes(null)) throw new Error(`${form}; ${encoded}`)
  const names = host?.split(',') ?? listed.map((each) => decode(each?.[1] ?? '').replace(/^\[|\]$/g, ''))
  const ports = port?.split(',') ?? listed.map((each) => each?.[2] ?? '')
  if (ports.length !== 1 && ports.length !== names.length) throw new Error('must name one port, or as many as hosts')
  if (names.length > 1 && names.includes('')) throw new Error('each of several hosts must have a name')
  return names.map((name, index) => ({
    host: name || 'localhost',
    port: portIn((ports.length === 1 ? ports[0] : ports[index]) ?? ''),
  }))
}

function portIn(text: string): number {
  const port = text === '' ? defaultPort : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('a port must be an integer from 1 to 65535')
  return port
}

function timeoutIn(seconds: string | undefined): number {
  if (seconds === undefined) return connectTimeoutMs
  if (!/^\d{1,4}$/.test(seconds) || Number(seconds) === 0) throw new Error('connect_timeout must be 1 to 9999 seconds')
  return Number(seconds) * 1_000
}

/** A socket has no TLS, whatever `sslmode` says. */
const variantsFor = ({ host = '' }: Candidate, parameters: Record<string, string | undefined>) =>
  host.startsWith('/') ? [false] : sslVariants(parameters)

/** TLS variants in the order in which libpq tries them for `sslmode` (34.19.3). Default: no TLS. */
function sslVariants(parameters: Record<string, string | undefined>): (ConnectionOptions | false)[] {
  const { sslmode = 'disable' } = parameters
  if (sslmode === 'disable') return [false]
  const files = {
    ...fileOption('ca', 'sslrootcert', parameters),
    ...fileOption('cert', 'sslcert', parameters),
    ...fileOption('key', 'sslkey', parameters),
  }
  const verifies = sslmode.startsWith('verify') || (sslmode === 'require' && parameters.sslrootcert !== undefined)
  if (sslmode === 'verify-ca' && !('ca' in files)) throw new Error('sslmode=verify-ca needs sslrootcert, a file')
  const tls: ConnectionOptions = { ...files, rejectUnauthorized: verifies }
  if (sslmode !== 'verify-full' && verifies) tls.checkServerIdentity = () => undefined
  if (sslmode === 'prefer') return [tls, false]
  return sslmode === 'allow' ? [false, tls] : [tls]
}

/** `sslrootcert=system` means the authorities that Node trusts. */
function fileOption(option: 'ca' | 'cert' | 'key', name: string, parameters: Record<string, string | undefined>) {
  const path = parameters[name]
  if (path === undefined || (option === 'ca' && path === 'system')) return {}
  try {
    return { [option]: readFileSync(path, 'utf8') }
  } catch (error) {
    throw new Error(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Hosts and ports, for messages. */
export const hostsOf = (connection: Connection): string =>
  [
    ...new Set((connection.candidates ?? [connection]).map(({ host, port }) => placeOf(host ?? 'localhost', port))),
  ].join(', ')

const placeOf = (host: string, port = defaultPort) => (isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`)
