import { hash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * `signet_`, 43 random characters of 62 (256 bits), and a CRC-32 of all that in 7 digits of base 36. By the prefix,
 * scanners and readers recognise a key that lies where it should not; by the checksum, a mistyped or made-up one is
 * refused without asking the database.
 */
const prefix = 'signet_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 43
const checksumLength = 7
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength}}[0-9a-z]{${checksumLength}}$`)

/** The key is shown once; the hash is what is stored. */
export function makeApiKey(): { apiKey: string; hash: Buffer } {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)])
  const body = prefix + random.join('')
  const apiKey = body + checksumOf(body)
  return { apiKey, hash: sha256(apiKey) }
}

/** What a given key is looked up by; undefined when it cannot be a key of ours. */
export function hashApiKey(text: string): Buffer | undefined {
  const isWellFormed = form.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
  return isWellFormed ? sha256(text) : undefined
}

/** For secrets that are compared, not looked up: the time it takes does not tell where they differ. */
export const equalSecrets = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b))

const checksumOf = (text: string): string => crc32(text).toString(36).padStart(checksumLength, '0')

/** No slow password hash: nobody can guess 256 random bits, and every request would pay for it. */
const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
