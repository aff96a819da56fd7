import { readFileSync } from 'node:fs'
import type { ConnectionOptions, SecureVersion } from 'node:tls'
import type { Parameters } from './connection-parameters.ts'

/** The variants in the order in which libpq tries them for `sslmode` (34.19.3). Default: no TLS. A socket has none, whatever it says. */
export function tlsVariants(host: string, parameters: Parameters): (ConnectionOptions | false)[] {
  const { sslmode = 'disable' } = parameters
  if (parameters.sslnegotiation === 'direct' && !/^(?:require|verify)/.test(sslmode))
    throw new Error('sslnegotiation=direct needs sslmode=require, verify-ca or verify-full')
  if (sslmode === 'disable' || host.startsWith('/')) return [false]
  const tls = tlsOptions(sslmode, parameters)
  if (sslmode === 'prefer') return [tls, false]
  return sslmode === 'allow' ? [false, tls] : [tls]
}

function tlsOptions(sslmode: string, parameters: Parameters): ConnectionOptions {
  const { sslrootcert, sslpassword, sslcertmode } = parameters
  if (sslmode === 'verify-ca' && (sslrootcert ?? 'system') === 'system')
    throw new Error('sslmode=verify-ca needs sslrootcert, a file')
  const verifies = sslmode.startsWith('verify') || (sslmode === 'require' && sslrootcert !== undefined)
  return {
    ...fileOption('ca', 'sslrootcert', parameters),
    ...fileOption('crl', 'sslcrl', parameters),
    ...(sslcertmode !== 'disable' && fileOption('cert', 'sslcert', parameters)),
    ...(sslcertmode !== 'disable' && fileOption('key', 'sslkey', parameters)),
    ...(sslpassword && { passphrase: sslpassword }),
    ...versions(parameters),
    rejectUnauthorized: verifies,
    ...(sslmode !== 'verify-full' && verifies && { checkServerIdentity: () => undefined }),
  }
}

const versions = ({ ssl_min_protocol_version: least, ssl_max_protocol_version: most }: Parameters) => ({
  ...(least && { minVersion: least as SecureVersion }),
  ...(most && { maxVersion: most as SecureVersion }),
})

/** `sslrootcert=system` means the authorities that Node trusts. */
function fileOption(option: 'ca' | 'crl' | 'cert' | 'key', name: string, parameters: Parameters) {
  const path = parameters[name]
  if (path === undefined || (option === 'ca' && path === 'system')) return {}
  return { [option]: readNamed(name, path) }
}

/** Throws an Error that names the parameter. */
export function readNamed(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
