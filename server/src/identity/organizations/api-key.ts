import { randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { fromHex, toHex } from '../../ground/runtime/identifiers.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 43
const checksumLength = 7

/** The key is shown once; the hash is what is stored. */
type Made = { key: string; hash: Buffer }
/** What a key is looked up by. */
type Read = { organizationId: string; hash: Buffer }

/**
 * Keys of a kind: its prefix, the organization's id in 32 hexadecimal digits, 43 random characters of 62 (256 bits), and a CRC-32 of all
 * that in 7 digits of base 36. Scanners and readers recognise a key by its prefix; whatever stands in front can route by the
 * organization; by the checksum, a mistyped or made-up key is refused without asking the database.
 */
export function keysWith(prefix: string) {
  const form = new RegExp(`^${prefix}([0-9a-f]{32})[0-9A-Za-z]{${randomLength}}[0-9a-z]{${checksumLength}}$`)
  return {
    make(organizationId: string): Made {
      const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)])
      const body = prefix + toHex(organizationId) + random.join('')
      const key = body + checksumOf(body)
      return { key, hash: hashOf(key) }
    },
    /** Undefined when `text` cannot be a key of this kind. */
    read(text: string): Read | undefined {
      const [, organization] = form.exec(text) ?? []
      if (!organization || checksumOf(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined
      return { organizationId: fromHex(organization), hash: hashOf(text) }
    },
  }
}

export const { make: makeApiKey, read: readApiKey } = keysWith('signet_')

/** Compares secrets; the time it takes does not tell where they differ. */
export const equalSecrets = (a: string, b: string): boolean => timingSafeEqual(hashOf(a), hashOf(b))

const checksumOf = (text: string): string => crc32(text).toString(36).padStart(checksumLength, '0')
