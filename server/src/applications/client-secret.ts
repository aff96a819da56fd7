import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** By it, scanners and readers recognise a secret that lies where it should not. */
const prefix = 'signet_secret_'
const randomLength = 32

/** The secret is shown once; the hash is what is stored. */
export function makeClientSecret(): { secret: string; hash: Buffer } {
  const secret = prefix + randomBytes(randomLength).toString('base64url')
  return { secret, hash: sha256(secret) }
}

/** The time it takes does not tell where they differ. */
export const isClientSecret = (given: string, stored: Buffer): boolean => timingSafeEqual(sha256(given), stored)

/** No slow password hash: nobody can guess 256 random bits. */
const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
