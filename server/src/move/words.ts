import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../keys/index.ts'

/**
 * Two words that only the former installation can make. It writes the `receipt` into the sealed file, so that whoever knows it has
 * imported the organization; and it tells the `release` only once it has given the organization up.
 */
type Word = 'receipt' | 'release'

const wordUnder = (secret: Buffer, moveId: string, word: Word) =>
  createHmac('sha256', secret).update(`${word} ${moveId}`).digest('hex').slice(0, 32)

const secretsOf = (keyring: Keyring) => keyring.derive('moves of organizations')

/** Under the first master key. */
export const makeWord = (keyring: Keyring, moveId: string, word: Word): string =>
  wordUnder(secretsOf(keyring)[0] as Buffer, moveId, word)

/** The secret under which this receipt was made: the master keys may have changed their order meanwhile. */
export function releaseFor(keyring: Keyring, moveId: string, receipt: string): string | undefined {
  const secret = secretsOf(keyring).find((each) => isSame(wordUnder(each, moveId, 'receipt'), receipt))
  return secret && wordUnder(secret, moveId, 'release')
}

const isSame = (expected: string, given: string) =>
  given.length === expected.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given))
