import { createPrivateKey, createPublicKey, generateKeyPair, type JsonWebKey } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Database, Transaction } from '../../../ground/database/database.ts'
import { conflict } from '../../../ground/errors.ts'
import type { Keyring } from '../../../ground/keys/index.ts'
import { cacheTtlMs } from '../../../ground/runtime/cache.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import {
  type Algorithm,
  algorithms,
  insertFirstIssuerKeys,
  issuerKeysSigningSince,
  loadIssuerKeys,
  type NewIssuerKey,
  nextIssuerKeyPublishedAt,
  removeWithdrawnIssuerKeys,
  rotateIssuerKey,
  type StoredIssuerKey,
} from './issuer-key-store.ts'

const rsaBits = 2_048
/** A retired key stays in the key set this long, or as long as an ID token lives. */
const retiredMs = 3_600_000
/** After this time no process uses a withdrawn key; a tenth of a second is for clocks of different speeds. */
const propagationMs = cacheTtlMs + 100
/** Per run: rotations, of which one for RS256 takes some 100 ms in another thread, and removed rows. */
const maxRotations = 50
const maxRemovals = 1_000

/** A private key as JWK. */
export type IssuerKey = JsonWebKey & { kid: string; alg: Algorithm; use: 'sig' }

/** Called in the transaction of the rotation, with the ids of the keys that signed before and of those that sign now. */
export type OnRotated = (tx: Transaction, rotated: { former: string[]; current: string[] }) => Promise<void>

export type IssuerKeys = {
  /**
   * The published keys, made at their first use, and those that verify hints; the first of each algorithm signs. Undefined: no
   * such organization.
   */
  find(organizationId: string): Promise<StoredIssuerKey[] | undefined>
  decrypt(organizationId: string, key: StoredIssuerKey): IssuerKey
  /** Promotes the next keys of all algorithms. Throws a 409 if it is too soon for one of them. */
  rotate(organizationId: string, onRotated: OnRotated): Promise<void>
  /**
   * Promotes the next keys however recently they were published; earlier keys verify nothing any more. Resolves once no process
   * uses them (2.1 s). Throws a 409 if another rotation took place within that time.
   */
  rotateInEmergency(organizationId: string, onRotated: OnRotated): Promise<void>
  /** Rotates keys that are due, and removes those that verify nothing any more: a bounded number per run. */
  rotateDueKeys(): Promise<void>
}

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  /** A key is published this long before it may sign. */
  keyLeadMs: number
  /** A key that has signed this long is replaced. */
  keyRotationMs: number
  idTokenMs: number
  /** A key verifies hints this long after it has left the key set. */
  sessionMs: number
}

export function createIssuerKeys({ database, clock, keyring, ...times }: Dependencies): IssuerKeys {
  const makeKey = async (organizationId: string, alg: Algorithm): Promise<NewIssuerKey> => {
    const { der, kid } = await generate(alg)
    return { kid, alg, privateKey: keyring.encrypt(der, contextOf(organizationId)) }
  }

  const makeFirst = async (organizationId: string) => {
    const pair = async (alg: Algorithm) => ({
      current: await makeKey(organizationId, alg),
      next: await makeKey(organizationId, alg),
    })
    const keys = await Promise.all(algorithms.map(pair))
    await insertFirstIssuerKeys(database.write, organizationId, keys, toTimestamp(clock.now()))
  }

  const knownSince = (now: number) => toTimestamp(now - times.sessionMs)

  const load = (organizationId: string) => {
    const now = clock.now()
    return loadIssuerKeys(database.read, organizationId, { now: toTimestamp(now), knownSince: knownSince(now) })
  }

  const byLead = (now: number): Promotion => ({
    publishedUntil: toTimestamp(now - times.keyLeadMs),
    leaveAt: toTimestamp(now + Math.max(retiredMs, times.idTokenMs)),
    now: toTimestamp(now),
  })

  /** Gives whether all keys were promoted; otherwise none was. */
  const promoteAll = async (organizationId: string, promotion: Promotion, onRotated: OnRotated) => {
    const nexts = await Promise.all(algorithms.map((alg) => makeKey(organizationId, alg)))
    const promote = async (tx: Transaction) => {
      const rotated = { former: [] as string[], current: [] as string[] }
      for (const next of nexts) {
        const one = await rotateIssuerKey(tx, organizationId, { next, ...promotion })
        if (!one) throw new TooSoon()
        rotated.former.push(one.former)
        rotated.current.push(one.current)
      }
      await onRotated(tx, rotated)
      return true
    }
    return database.transaction(promote).catch((error) => {
      if (error instanceof TooSoon) return false
      throw error
    })
  }

  const tooSoon = async (organizationId: string) => {
    const publishedAt = (await nextIssuerKeyPublishedAt(database.write, organizationId))?.getTime() ?? clock.now()
    const time = toTimestamp(publishedAt + times.keyLeadMs)
    return conflict(
      `emergency: must be true to rotate before ${time}, when the next keys will have been published long enough`,
    )
  }

  const find: IssuerKeys['find'] = async (organizationId) => {
    const found = await load(organizationId)
    if (found?.length !== 0) return found
    await makeFirst(organizationId)
    return load(organizationId)
  }

  return {
    find,
    decrypt(organizationId, { kid, alg, privateKey }) {
      const der = keyring.decrypt(privateKey, contextOf(organizationId))
      const jwk = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
      return { ...jwk, kid, alg, use: 'sig' }
    },
    async rotate(organizationId, onRotated) {
      await find(organizationId)
      if (!(await promoteAll(organizationId, byLead(clock.now()), onRotated))) throw await tooSoon(organizationId)
    },
    async rotateInEmergency(organizationId, onRotated) {
      await find(organizationId)
      const now = clock.now()
      // Two calls for one emergency are one rotation: a second one would promote keys that no client has fetched.
      const promotion = {
        publishedUntil: toTimestamp(now - propagationMs),
        leaveAt: '-infinity',
        now: toTimestamp(now),
      }
      if (!(await promoteAll(organizationId, promotion, onRotated)))
        throw conflict('emergency: the keys were made or rotated a moment ago; ask again in some seconds')
      await wait(propagationMs)
    },
    async rotateDueKeys() {
      const now = clock.now()
      // A next key is made when the current one begins to sign, so it has been published for as long.
      const since = toTimestamp(now - Math.max(times.keyRotationMs, times.keyLeadMs))
      for (const { org_id, alg } of await issuerKeysSigningSince(database.write, since, maxRotations))
        await rotateIssuerKey(database.write, org_id, { next: await makeKey(org_id, alg), ...byLead(clock.now()) })
      await removeWithdrawnIssuerKeys(database.write, knownSince(now), maxRemovals)
    },
  }
}

type Promotion = Omit<Parameters<typeof rotateIssuerKey>[2], 'next'>

/** A next key may not sign yet, or is missing. */
class TooSoon extends Error {}

export function toPublic({ kid, alg, use, ...parts }: IssuerKey): JWK {
  const jwk = createPublicKey({ key: parts as JsonWebKey, format: 'jwk' }).export({ format: 'jwk' })
  return { ...(jwk as JWK), kid, alg, use }
}

const contextOf = (organizationId: string) => ({ organizationId, column: 'issuer_keys.private_key' })

/** In another thread: an RSA key takes some 100 ms. `der` is PKCS #8, `kid` a thumbprint (RFC 7638). */
async function generate(alg: Algorithm): Promise<{ der: Buffer; kid: string }> {
  const { privateKey, publicKey } = await (alg === 'RS256'
    ? promisify(generateKeyPair)('rsa', { modulusLength: rsaBits })
    : promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }))
  const kid = await calculateJwkThumbprint(publicKey.export({ format: 'jwk' }))
  return { der: privateKey.export({ format: 'der', type: 'pkcs8' }), kid }
}
