import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hashOf } from '../../ground/runtime/secret-hash.ts'

/** Lets secret scanners recognise a leaked secret. */
const prefix = 'signet_secret_'
const randomLength = 32

/** The secret is shown once; the hash is what is stored. */
export function makeClientSecret(): { secret: string; hash: Buffer } {
  const secret = prefix + randomBytes(randomLength).toString('base64url')
  return { secret, hash: hashOf(secret) }
}

/** Compares in constant time. */
export const isClientSecret = (secret: string, stored: Buffer): boolean => timingSafeEqual(hashOf(secret), stored)
