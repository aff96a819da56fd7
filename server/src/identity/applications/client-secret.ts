import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'

/** Lets secret scanners recognise a leaked secret. */
const prefix = 'signet_secret_'
const randomLength = 32

/** A stored secret, without its value. */
export type ClientSecret = {
  id: string
  hash: Buffer
  created_at: Date
  /** Null: it does not expire. */
  expires_at: Date | null
}

/** The secret is shown once; the hash is what is stored. */
export function makeClientSecret(now: number, expiresAt: Date | null = null) {
  const secret = prefix + randomBytes(randomLength).toString('base64url')
  return { secret, stored: { id: makeId(now), hash: hashOf(secret), created_at: new Date(now), expires_at: expiresAt } }
}

export const hasExpired = ({ expires_at }: Pick<ClientSecret, 'expires_at'>, clock: Clock): boolean =>
  expires_at !== null && expires_at.getTime() <= clock.now()

/** Compares with each of them in constant time. */
export function isClientSecret(secret: string, stored: ClientSecret[], clock: Clock): boolean {
  const hash = hashOf(secret)
  return stored.filter((each) => timingSafeEqual(hash, each.hash) && !hasExpired(each, clock)).length > 0
}
