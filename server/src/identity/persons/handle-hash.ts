import { createHmac } from 'node:crypto'
import type { Keyring } from '../../ground/keys/index.ts'
import { type HandleType, readHandle } from './handle.ts'

/** 128 bits: enough that no two handles of an organization have the same. */
const hashLength = 22

/** By which a handle is known where it must not stand, or must not stay. `kind`: of the text, such as the type of a handle. */
export type HandleHashes = {
  of(organizationId: string, kind: string, text: string): string
  /** Spellings that count as the same handle have the same hash. */
  ofHandle(organizationId: string, type: HandleType, value: string): string
  /** That of the same handle under each master key, the first key's first: what was stored before a rotation has another one. */
  allOf(organizationId: string, type: HandleType, value: string): string[]
}

/** Under a key that follows from the first master key: the same for the same text of the same organization. */
export function createHandleHashes({ derive }: Pick<Keyring, 'derive'>): HandleHashes {
  const under = (key: Buffer, organizationId: string, kind: string, text: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([organizationId, kind, text]))
      .digest('base64url')
      .slice(0, hashLength)
  const keys = () => derive('handles in the audit log')
  const of: HandleHashes['of'] = (organizationId, kind, text) => under(keys()[0] as Buffer, organizationId, kind, text)
  return {
    of,
    ofHandle: (organizationId, type, value) => of(organizationId, type, keyOf(type, value)),
    allOf: (organizationId, type, value) => keys().map((each) => under(each, organizationId, type, keyOf(type, value))),
  }
}

const keyOf = (type: HandleType, value: string) => readHandle(type, value)?.key ?? value
