import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type pg from 'pg'
import { checkParameters, type Parameters } from './connection-parameters.ts'
import { tlsVariants } from './connection-tls.ts'
import { passwordIn } from './password-file.ts'

/** One way to reach the database: host, port and TLS, and the password for that host where it comes from a `passfile`. */
type Candidate = Pick<pg.ClientConfig, 'host' | 'port' | 'ssl' | 'password'>

/** How the server must let Signet in: only by these methods, or only with a password that is bound to its certificate. */
export type RequiredAuthentication = { methods?: string; isBound?: true }

/**
 * The parsed `DATABASE_URL`. `candidates` are tried in order until one is a server that takes writes: several hosts, and
 * with `sslmode=prefer` or `allow` each with and without TLS. When absent, the other fields are the only candidate.
 */
export type Connection = pg.ClientConfig & {
  candidates?: Candidate[]
  requiredAuthentication?: RequiredAuthentication
  /** Parameters that were given and change nothing here. */
  ignored?: string[]
  /** Reads again what is read from files. Throws an Error of one line where one of them has become wrong. */
  renew?: () => Connection
}

const defaultPort = 5432
export const connectTimeoutMs = 5_000

const form =
  'must be a postgresql:// address: postgresql://[user[:password]@]host[:port][,host[:port]…][/database][?parameters]'
const encoded = 'in a user name, password or database the characters @ : / ? # % must be percent-encoded (@ is %40)'

/**
 * Reads a connection string as libpq reads it (34.1.1): an address, or words such as `host=… user=…`. A problem is described
 * without quoting the string, because that holds a password.
 */
export function readConnection(text: string): { value: Connection } | { problem: string } {
  try {
    return { value: toConnection(text) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/** The same for a string that is known to be valid. */
export function connectionOf(databaseUrl: string): Connection {
  const read = readConnection(databaseUrl)
  if ('problem' in read) throw new Error(`DATABASE_URL: ${read.problem}`)
  return read.value
}

/** With `renew`. `file`: where the string itself stands, if it does not come from the environment. */
export const renewableConnection = (databaseUrl: string, file: string | undefined): Connection => ({
  ...connectionOf(databaseUrl),
  renew: () => connectionOf(file === undefined ? databaseUrl : readAddress(file)),
})

function readAddress(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`DATABASE_URL_FILE: cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function toConnection(text: string): Connection {
  const { hosts, isNameShown, ...given } = /^\s*[a-z_]+\s*=/.test(text) ? readWords(text) : readUri(text)
  const { parameters, ignored } = checkParameters(given.parameters, isNameShown)
  const connection = withoutEmpty({
    user: parameters.user,
    password: parameters.password,
    database: parameters.dbname,
    application_name: parameters.application_name,
    options: parameters.options,
    enableChannelBinding: parameters.channel_binding !== undefined && parameters.channel_binding !== 'disable',
    requiredAuthentication: requiredBy(parameters),
    ignored: ignored.length > 0 && ignored,
    ...keepAliveOf(parameters),
  })
  const candidates = hostsIn(hosts, parameters).flatMap((host) => candidatesFor(host, parameters))
  const [first] = candidates as [Candidate]
  return {
    fallback_application_name: parameters.fallback_application_name || 'signet',
    connectionTimeoutMillis: timeoutIn(parameters.connect_timeout),
    ...(connection as pg.ClientConfig),
    ...first,
    ...(candidates.length > 1 && { candidates }),
  }
}

/** `isNameShown`: no name can be a piece of a password. */
type Given = { parameters: Parameters; hosts: string; isNameShown: boolean }

/** 34.1.1.1: `host=localhost password='a b'`. */
function readWords(text: string): Given {
  const pair = /\s*([^\s=]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)+))(?=\s|$)/sy
  const parameters: Record<string, string> = {}
  while (text.slice(pair.lastIndex).trim() !== '') {
    const [, name = '', quoted, bare = ''] = pair.exec(text) ?? []
    if (name === '') throw new Error('each parameter must be name=value, with a value that has spaces in single quotes')
    parameters[name] = (quoted ?? bare).replace(/\\(.)/gs, '$1')
  }
  return { parameters, hosts: '', isNameShown: false }
}

/** 34.1.1.2. What stands before the parameters is overridden by them. */
function readUri(text: string): Given {
  const [, authority, path = '', query = ''] =
    /^postgres(?:ql)?:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(text) ?? []
  if (authority === undefined) throw new Error(form)
  if (/[\s#]/.test(text) || /[/@]/.test(path) || query.includes('@')) throw new Error(encoded)
  const [hosts = '', login = '', ...more] = authority.split('@').reverse()
  if (more.length > 0) throw new Error(encoded)
  const [user = '', password = '', ...rest] = login.split(':')
  if (rest.length > 0) throw new Error(encoded)
  const before = withoutEmpty({ user: decode(user), password: decode(password), dbname: decode(path) })
  const given = parametersIn(query)
  const isNameShown = given.password === undefined && given.sslpassword === undefined
  return { parameters: { ...before, ...given }, hosts, isNameShown }
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

function parametersIn(query: string): Record<string, string> {
  const parameters: Record<string, string> = {}
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', value, ...more] = pair.split('=')
    if (value === undefined || more.length > 0) throw new Error('each parameter must be name=value')
    parameters[name] = decode(value)
  }
  return parameters
}

function requiredBy({ require_auth: methods, channel_binding }: Parameters): RequiredAuthentication | undefined {
  const isBound = channel_binding === 'require'
  const known = /^(?:none|password|md5|scram-sha-256)$/
  const isKnown = methods?.split(',').every((name) => known.test(name.replace(/^!/, '')))
  if (isKnown === false) throw new Error('require_auth must be of none, password, md5, scram-sha-256')
  if (!methods && !isBound) return undefined
  return { ...(methods && { methods }), ...(isBound && { isBound }) }
}

/** Seconds of silence before a sign of life; the system's default of two hours is longer than firewalls remember a connection. */
const keepAliveOf = ({ keepalives, keepalives_idle: idle = '0' }: Parameters) => {
  if (!/^\d{1,6}$/.test(idle)) throw new Error('keepalives_idle must be a number of seconds')
  const isWished = keepalives === '1' || (keepalives !== '0' && Number(idle) > 0)
  return { keepAlive: isWished, keepAliveInitialDelayMillis: isWished && Number(idle) * 1_000 }
}

type Host = { host: string; port: number; name: string }

/** As in libpq: as many ports as hosts, one for all, or none. `hostaddr` saves looking up the names, which certificates still have. */
function hostsIn(hosts: string, { host, hostaddr, port }: Parameters): Host[] {
  const listed = hosts.split(',').map((each) => /^(\[[\da-fA-F:.]+(?:%\w+)?\]|[\w.%-]*)(?::(\d*))?$/.exec(each))
  if (listed.includes(null)) throw new Error(`${form}; ${encoded}`)
  const written = host?.split(',') ?? listed.map((each) => decode(each?.[1] ?? '').replace(/^\[|\]$/g, ''))
  const addresses = hostaddr?.split(',')
  if (addresses?.some((each) => isIP(each) === 0)) throw new Error('hostaddr must be an IP address')
  const names = addresses && written.join('') === '' ? addresses : written
  if (addresses && addresses.length !== names.length) throw new Error('hostaddr must have as many addresses as hosts')
  const ports = port?.split(',') ?? listed.map((each) => each?.[2] ?? '')
  if (ports.length !== 1 && ports.length !== names.length) throw new Error('must name one port, or as many as hosts')
  if (names.length > 1 && names.includes('')) throw new Error('each of several hosts must have a name')
  return names.map((name, index) => ({
    host: addresses?.[index] ?? (name || 'localhost'),
    port: portIn((ports.length === 1 ? ports[0] : ports[index]) ?? ''),
    name: name || 'localhost',
  }))
}

function candidatesFor({ host, port, name }: Host, parameters: Parameters): Candidate[] {
  const { passfile, password, dbname: database, user } = parameters
  const login =
    passfile && !password ? { password: passwordIn(passfile, { host: name, port, database, user }) } : undefined
  return tlsVariants(host, parameters).map((tls) => ({
    host,
    port,
    ...login,
    ssl: tls && host !== name ? { ...tls, servername: name } : tls,
    ...(tls && parameters.sslnegotiation === 'direct' && { sslnegotiation: 'direct' }),
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

/** Hosts and ports, for messages. */
export const hostsOf = (connection: Connection): string => [...new Set(endpointsOf(connection))].join(', ')

/** Of each candidate. */
export const endpointsOf = (connection: Connection): string[] =>
  (connection.candidates ?? [connection]).map(({ host, port }) => endpointOf(host ?? 'localhost', port))

const endpointOf = (host: string, port = defaultPort) => (isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`)
