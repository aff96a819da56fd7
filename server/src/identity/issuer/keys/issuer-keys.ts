import { createPrivateKey, createPublicKey, generateKeyPair, type JsonWebKey } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Database } from '../../../ground/database/database.ts'
import {
  type Algorithm,
  createRotation,
  type Keyring,
  type KeySet,
  makeFirstKeys,
  type NewKey,
  type OnRotated,
} from '../../../ground/keys/index.ts'
import { cacheTtlMs } from '../../../ground/runtime/cache.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { loadIssuerKeys, type StoredIssuerKey } from './issuer-key-store.ts'

/** The signing algorithms of ID tokens; each issuer has keys for all of them. */
export const algorithms = ['RS256', 'ES256'] as const satisfies Algorithm[]

const rsaBits = 2_048
/** A retired key stays in the key set this long, or as long as an ID token lives. */
const retiredMs = 3_600_000

/** A private key as JWK. */
export type IssuerKey = JsonWebKey & { kid: string; alg: Algorithm; use: 'sig' }

type Dependencies = Parameters<typeof createRotation>[0] & { keyring: Keyring } & Lifetimes
/** `sessionMs`: a key verifies hints this long after it has left the key set. */
type Lifetimes = { idTokenMs: number; sessionMs: number }

export function createIssuerKeys({ keyring, idTokenMs, sessionMs, ...dependencies }: Dependencies) {
  const { database, clock } = dependencies
  const keySet = issuerKeySet(keyring, { idTokenMs, sessionMs })
  const { rotate, rotateInEmergency, rotateDueKeys } = createRotation(dependencies, keySet)
  const find = createFind({ database, clock, sessionMs }, keySet)
  return {
    find,
    decrypt: (organizationId: string, key: StoredIssuerKey) => decrypt(keyring, organizationId, key),
    /** As the rotation of every key set does, of keys that are made now where there are none yet. */
    rotate: async (organizationId: string, isEmergency: boolean, onRotated: OnRotated) => {
      await find(organizationId)
      await (isEmergency ? rotateInEmergency : rotate)(organizationId, onRotated)
    },
    rotateDueKeys,
  }
}

const issuerKeySet = (keyring: Keyring, { idTokenMs, sessionMs }: Lifetimes): KeySet => ({
  signed: 'idTokens',
  algorithms,
  makeKey: (organizationId, alg) => makeKey(keyring, organizationId, alg),
  retiredForMs: Math.max(retiredMs, idTokenMs),
  keptForMs: sessionMs,
  // After this time no process uses a withdrawn key; a tenth of a second is for clocks of different speeds.
  withdrawalMs: cacheTtlMs + 100,
  // One for RS256 takes some 100 ms in another thread.
  maxRotations: 50,
})

type Finding = { database: Database; clock: Clock; sessionMs: number }

/**
 * The published keys, made at their first use, and those that verify hints; the first of each algorithm signs. Undefined: no such
 * organization.
 */
function createFind({ database, clock, sessionMs }: Finding, keySet: KeySet) {
  const load = (organizationId: string) => {
    const now = clock.now()
    const times = { now: toTimestamp(now), knownSince: toTimestamp(now - sessionMs) }
    return loadIssuerKeys(database.read, organizationId, times)
  }
  return async (organizationId: string) => {
    const found = await load(organizationId)
    if (found?.length !== 0) return found
    await makeFirstKeys(database.write, organizationId, keySet, clock)
    return load(organizationId)
  }
}

export const contextOf = (organizationId: string) => ({ organizationId, column: 'issuer_keys.private_key' })

async function makeKey(keyring: Keyring, organizationId: string, alg: Algorithm): Promise<NewKey> {
  const { der, kid } = await generate(alg)
  return { kid, alg, own: alg, privateKey: keyring.encrypt(der, contextOf(organizationId)) }
}

function decrypt(keyring: Keyring, organizationId: string, { kid, alg, privateKey }: StoredIssuerKey): IssuerKey {
  const der = keyring.decrypt(privateKey, contextOf(organizationId))
  const jwk = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
  return { ...jwk, kid, alg, use: 'sig' }
}

export function toPublic({ kid, alg, use, ...parts }: IssuerKey): JWK {
  const jwk = createPublicKey({ key: parts as JsonWebKey, format: 'jwk' }).export({ format: 'jwk' })
  return { ...(jwk as JWK), kid, alg, use }
}

/** In another thread: an RSA key takes some 100 ms. `der` is PKCS #8, `kid` a thumbprint (RFC 7638). */
async function generate(alg: Algorithm): Promise<{ der: Buffer; kid: string }> {
  const { privateKey, publicKey } = await (alg === 'RS256'
    ? promisify(generateKeyPair)('rsa', { modulusLength: rsaBits })
    : promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }))
  const kid = await calculateJwkThumbprint(publicKey.export({ format: 'jwk' }))
  return { der: privateKey.export({ format: 'der', type: 'pkcs8' }), kid }
}
