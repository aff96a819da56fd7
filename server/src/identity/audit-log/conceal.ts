import type { Keyring } from '../../ground/keys/index.ts'
import { createHandleHashes, type Handle, type HandleType } from '../persons/index.ts'

const concealed = '***'

type Hash = { of(kind: string, text: string): string; ofHandle(type: HandleType, value: string): string }
type ShownHandle = Pick<Handle, 'type' | 'value'> & { verified?: boolean; vouchedBy?: string | null }

/** What becomes of a member, by its name, whatever the operation. */
const rules: Record<string, (value: never, hash: Hash) => unknown> = {
  api_key: () => concealed,
  client_secret: () => concealed,
  token: () => concealed,
  answer: () => concealed,
  // Their names as well, which are encrypted at rest like their values.
  custom_headers: (headers: object) => (Object.keys(headers).length > 0 ? concealed : {}),
  handles: (handles: ShownHandle[], hash) => handles.map((handle) => concealHandle(handle, hash)),
  email: (value: string, hash) => concealHandle({ type: 'EmailAddress', value }, hash),
  subject: (value: string, hash) => ({ hash: hash.of('subject', value) }),
  user_name: (value: string, hash) => ({ hash: hash.of('user_name', value) }),
  external_id: (value: string, hash) => ({ hash: hash.of('external_id', value) }),
}

/**
 * Conceals secrets, and what a person could be known by: an entry outlives the person. A handle leaves its type and a hash under a
 * key that follows from the first master key, the same for the same handle of the same organization.
 */
export function createConceal(keyring: Keyring) {
  const hashes = createHandleHashes(keyring)
  return (organizationId: string, thing: object): Record<string, unknown> => {
    const hash: Hash = {
      of: (kind, text) => hashes.of(organizationId, kind, text),
      ofHandle: (type, value) => hashes.ofHandle(organizationId, type, value),
    }
    return Object.fromEntries(Object.entries(thing).flatMap(([name, value]) => concealMember(name, value, hash)))
  }
}

function concealMember(name: string, value: unknown, hash: Hash): [string, unknown][] {
  if (value === null || value === undefined) return []
  return [[name, rules[name]?.(value as never, hash) ?? value]]
}

function concealHandle({ type, value, verified, vouchedBy }: ShownHandle, hash: Hash) {
  const hashed = { type, hash: hash.ofHandle(type, value) }
  return { ...hashed, ...(verified !== undefined && { verified }), ...(vouchedBy && { vouched_by: vouchedBy }) }
}
