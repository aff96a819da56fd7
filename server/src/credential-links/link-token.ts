import { randomBytes } from 'node:crypto'
import { fromHex, toHex } from '../runtime/identifiers.ts'
import { hashOf } from '../runtime/secret-hash.ts'

/** The organization's id in 32 hexadecimal digits, then 256 random bits in 64. Whatever stands in front can route by it. */
const form = /^([0-9a-f]{32})[0-9a-f]{64}$/

/** The token is shown once; the hash is what is stored. */
export function makeToken(organizationId: string): { token: string; hash: Buffer } {
  const token = toHex(organizationId) + randomBytes(32).toString('hex')
  return { token, hash: hashOf(token) }
}

/** What a link is looked up by; undefined when `token` cannot be one of ours. */
export function readToken(token: string): { organizationId: string; hash: Buffer } | undefined {
  const [, organization] = form.exec(token) ?? []
  return organization === undefined ? undefined : { organizationId: fromHex(organization), hash: hashOf(token) }
}
