import { randomBytes } from 'node:crypto'
import { fromHex, toHex } from './identifiers.ts'
import { hashOf } from './secret-hash.ts'

/**
 * The organization's id in 32 hexadecimal digits, then 256 random bits in 64. Whatever stands in front can route by the organization. As a
 * `state`: LINE takes letters and digits only.
 */
const form = /^([0-9a-f]{32})[0-9a-f]{64}$/

export const makeOrganizationToken = (organizationId: string): string =>
  toHex(organizationId) + randomBytes(32).toString('hex')

/** What a token is looked up by; undefined when `text` cannot be one of ours. */
export function readOrganizationToken(text: string): { organizationId: string; hash: Buffer } | undefined {
  const [, organization] = form.exec(text) ?? []
  return organization === undefined ? undefined : { organizationId: fromHex(organization), hash: hashOf(text) }
}
