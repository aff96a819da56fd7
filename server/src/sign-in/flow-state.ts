import { randomBytes } from 'node:crypto'
import { fromHex, toHex } from '../runtime/identifiers.ts'
import { hashOf } from '../runtime/secret-hash.ts'

/** LINE takes letters and digits only. Whatever stands in front can route a callback by the organization's id. */
const form = /^([0-9a-f]{32})[0-9a-f]{64}$/

/** The organization's id in 32 hexadecimal digits, then 256 random bits in 64. */
export const makeState = (organizationId: string): string => toHex(organizationId) + randomBytes(32).toString('hex')

/** What a flow is looked up by; undefined when `state` cannot be one of ours. */
export function readState(state: string): { organizationId: string; stateHash: Buffer } | undefined {
  const [, organization] = form.exec(state) ?? []
  return organization === undefined ? undefined : { organizationId: fromHex(organization), stateHash: hashOf(state) }
}
