import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Lets secret scanners recognise a leaked secret. */
const prefix = 'signet_secret_'
const randomLength = 32

/** The secret is shown once; the hash is what is stored. */
export function makeClientSecret(): { secret: string; hash: Buffer } {
  const secret = prefix + randomBytes(randomLength).toString('base64url')
  return { secret, hash: sha256(secret) }
}

/** Compares in constant time. */
export const isClientSecret = (secret: string, stored: Buffer): boolean => timingSafeEqual(sha256(secret), stored)

/** A fast hash suffices: nobody can guess 256 random bits. */
const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
