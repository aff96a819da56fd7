/** The parameters of a connection string, as libpq knows them (34.1.2 of its manual, PostgreSQL 15 to 18), and what becomes of each. */
import { nearest } from '../runtime/nearest.ts'

export type Parameters = Record<string, string | undefined>

/** These have their effect. */
const effective = [
  ...['host', 'hostaddr', 'port', 'user', 'password', 'passfile', 'dbname', 'application_name'],
  ...['fallback_application_name', 'options', 'connect_timeout', 'target_session_attrs', 'keepalives'],
  ...['keepalives_idle', 'channel_binding', 'require_auth', 'sslmode', 'ssl', 'sslnegotiation', 'sslrootcert'],
  ...['sslcert', 'sslkey', 'sslpassword', 'sslcrl', 'sslcertmode', 'ssl_min_protocol_version'],
  'ssl_max_protocol_version',
]

/**
 * These change nothing here, with the values for which that is so: Signet speaks UTF-8 and protocol 3.0, knows no GSSAPI, uses only the
 * primary, and gives up a silent connection by limits of its own. `uselibpqcompat` is the driver's.
 */
const withoutEffect: Record<string, RegExp> = {
  client_encoding: /^(?:auto|utf-?8|unicode)$/i,
  gssencmode: /^(?:disable|prefer)$/,
  gssdelegation: /^0$/,
  gsslib: /./,
  krbsrvname: /./,
  keepalives_interval: /^\d+$/,
  keepalives_count: /^\d+$/,
  tcp_user_timeout: /^\d+$/,
  load_balance_hosts: /^(?:disable|random)$/,
  min_protocol_version: /^3\.0$/,
  max_protocol_version: /^(?:3\.[02]|latest)$/,
  replication: /^(?:false|off|no|0)$/,
  sslcompression: /^[01]$/,
  sslsni: /^1$/,
  uselibpqcompat: /^(?:true|false)$/,
}

const noOauth = 'the driver does not sign in by OAuth; where the server takes a token as the password, give it as that'
const noPassedLogin = 'the driver signs in by a password only'
const noServiceFile = 'Signet reads no service file; write into the string what that has'

/** A connection without their effect would be another than the one that was asked for. */
const refused: Record<string, string> = {
  service: noServiceFile,
  servicefile: noServiceFile,
  requirepeer: 'Signet cannot tell who runs the server behind a socket',
  sslcrldir: 'Signet reads one file of revoked certificates: sslcrl',
  sslkeylogfile: 'Signet does not write the keys of its connections to a file',
  scram_client_key: noPassedLogin,
  scram_server_key: noPassedLogin,
  oauth_issuer: noOauth,
  oauth_client_id: noOauth,
  oauth_client_secret: noOauth,
  oauth_scope: noOauth,
}

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']
const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']

/** The values of those that have a list of them. */
const choices: Record<string, { values: string[]; because?: string }> = {
  sslmode: { values: sslModes },
  ssl: { values: ['true', 'false'] },
  target_session_attrs: { values: ['any', 'read-write', 'primary'], because: 'Signet writes' },
  keepalives: { values: ['0', '1'] },
  channel_binding: { values: ['disable', 'prefer', 'require'] },
  sslnegotiation: { values: ['postgres', 'direct'] },
  sslcertmode: { values: ['disable', 'allow'], because: 'the driver does not say whether the server asked for one' },
  ssl_min_protocol_version: { values: tlsVersions },
  ssl_max_protocol_version: { values: tlsVersions },
}

/** All that libpq knows, by name. */
export const knownParameters = [...effective, ...Object.keys(withoutEffect), ...Object.keys(refused)]

/** `ignored`: the names of those that were given and change nothing. Throws an Error that names the parameter and never its value. */
export function checkParameters(
  given: Parameters,
  isNameShown: boolean,
): { parameters: Parameters; ignored: string[] } {
  for (const [name, value = ''] of Object.entries(given)) checkParameter(name, value, isNameShown)
  // As in libpq, for strings that were written for JDBC.
  const sslmode = given.sslmode ?? (given.ssl === 'true' ? 'require' : undefined)
  return { parameters: { ...given, sslmode }, ignored: Object.keys(given).filter((name) => name in withoutEffect) }
}

function checkParameter(name: string, value: string, isNameShown: boolean) {
  if (Object.hasOwn(refused, name)) throw new Error(`${name} is not supported: ${refused[name]}`)
  if (Object.hasOwn(withoutEffect, name)) {
    if (!withoutEffect[name]?.test(value)) throw new Error(`${name} is not supported with this value`)
  } else if (!effective.includes(name)) throw new Error(unknown(name, isNameShown))
  const choice = choices[name]
  if (choice && !choice.values.includes(value)) {
    const { values, because } = choice
    throw new Error(`${name} must be one of ${values.join(', ')}${because ? `: ${because}` : ''}`)
  }
}

/** Without quotes around it, a piece of a password with spaces looks like a name; in an address, one after an `&` that is not encoded. */
function unknown(name: string, isNameShown: boolean): string {
  if (!isNameShown)
    return 'each parameter must be one that libpq knows; a value with spaces stands in single quotes, & in an address is %26'
  const meant = nearest(name, knownParameters)
  return `${name} is not a parameter that libpq knows${meant ? `; did you mean ${meant}?` : ''}`
}
