import { createHash } from 'node:crypto'
import { groupNameForm } from '../../persons/groups/index.ts'

/** With `-` and the ten characters of a hash a name has 100 at most. */
const maxLength = 89

type Displayed = { displayName: string; prefix: string; directoryId: string; id: string }

/**
 * What Signet may call a directory's group, the best first; the first that is free is taken, and never changes. The last one holds a hash
 * of ids that nobody foresees, so nobody makes a group of that name beforehand.
 */
export function namesFor({ displayName, prefix, directoryId, id }: Displayed): string[] {
  const whole = prefix + displayName
  const hash = hashOf(directoryId, id)
  const derived = trimmed((prefix + derive(displayName)).slice(0, maxLength))
  const name = derive(displayName).length < 2 ? `${prefix}g-${hash}` : derived
  return [...new Set([...(groupNameForm.test(whole) ? [whole] : []), name, `${name}-${hash}`])]
}

/** Marks are dropped, and every run of other characters becomes one hyphen. */
const derive = (text: string) =>
  trimmed(
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^\w.]+/g, '-'),
  )

const trimmed = (text: string) => text.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Ten characters of base32 (RFC 4648), which are the first 50 bits. */
function hashOf(directoryId: string, id: string): string {
  const bits = createHash('sha256').update(directoryId).update(id).digest().readBigUInt64BE() >> 14n
  return Array.from({ length: 10 }, (_, index) => alphabet[Number((bits >> BigInt(45 - 5 * index)) & 31n)]).join('')
}
