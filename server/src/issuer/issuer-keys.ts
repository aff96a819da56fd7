import { createPrivateKey, createPublicKey, generateKeyPair, type JsonWebKey } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Database, Queries } from '../database/database.ts'
import { conflict } from '../errors.ts'
import type { Keyring } from '../keys/index.ts'
import { lookUpAgainMs } from '../runtime/cache.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
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
/** A key that signed stays in the set for so long, or as long as an ID token lives. */
const stayMs = 3_600_000
/** Until no process uses a key that was withdrawn; a tenth of a second for clocks that run at other speeds. */
const forgottenMs = lookUpAgainMs + 100
/** In one run of the upkeep: rotations, of which one for RS256 takes some 100 ms of another thread, and rows removed. */
const maxRotations = 50
const maxRemovals = 1_000

/** Ready to sign, with all its parts. */
export type IssuerKey = JsonWebKey & { kid: string; alg: Algorithm; use: 'sig' }

export type IssuerKeys = {
  /**
   * Those that are published, made at their first use, and those known for hints; of each algorithm the first one signs.
   * Undefined: no such organization.
   */
  find(organizationId: string): Promise<StoredIssuerKey[] | undefined>
  open(organizationId: string, key: StoredIssuerKey): IssuerKey
  /** Lets the next key of each algorithm sign, of all or of none. Throws a 409 when it is too soon. */
  rotate(organizationId: string): Promise<void>
  /**
   * The same however short the next ones were published; those that have signed so far are worth nothing any more. Resolves
   * once no process uses them (2.1 s). Throws a 409 when another rotation took place within that time.
   */
  rotateInEmergency(organizationId: string): Promise<void>
  /** Rotates the keys that have signed for long, and removes those that are not known any more: some at a time. */
  keepUp(): Promise<void>
}

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  /** How long a key is published before it may sign. */
  keyLeadMs: number
  /** A key that has signed for so long is replaced. */
  keyRotationMs: number
  idTokenMs: number
  /** A key is known for so long after it has left the set. */
  sessionMs: number
}

export function createIssuerKeys({ database, clock, keyring, ...times }: Dependencies): IssuerKeys {
  const makeKey = async (organizationId: string, alg: Algorithm): Promise<NewIssuerKey> => {
    const { der, kid } = await generate(alg)
    return { kid, alg, privateKey: keyring.encrypt(der, sealedPlace(organizationId)) }
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
    leaveAt: toTimestamp(now + Math.max(stayMs, times.idTokenMs)),
    now: toTimestamp(now),
  })

  /** Gives whether all of them were promoted; else none was. */
  const promoteAll = async (organizationId: string, promotion: Promotion) => {
    const nexts = await Promise.all(algorithms.map((alg) => makeKey(organizationId, alg)))
    const promote = async (queries: Queries) => {
      for (const next of nexts)
        if (!(await rotateIssuerKey(queries, organizationId, { next, ...promotion }))) throw new TooSoon()
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
    open(organizationId, { kid, alg, privateKey }) {
      const der = keyring.decrypt(privateKey, sealedPlace(organizationId))
      const jwk = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
      return { ...jwk, kid, alg, use: 'sig' }
    },
    async rotate(organizationId) {
      await find(organizationId)
      if (!(await promoteAll(organizationId, byLead(clock.now())))) throw await tooSoon(organizationId)
    },
    async rotateInEmergency(organizationId) {
      await find(organizationId)
      const now = clock.now()
      // Two calls for one emergency are one rotation: a second one would let keys sign that nobody has seen.
      const promotion = { publishedUntil: toTimestamp(now - forgottenMs), leaveAt: '-infinity', now: toTimestamp(now) }
      if (!(await promoteAll(organizationId, promotion)))
        throw conflict('emergency: the keys were made or rotated a moment ago; ask again in some seconds')
      await wait(forgottenMs)
    },
    async keepUp() {
      const now = clock.now()
      // A next key is made at the moment the present one begins to sign, so it was published for as long.
      const since = toTimestamp(now - Math.max(times.keyRotationMs, times.keyLeadMs))
      for (const { org_id, alg } of await issuerKeysSigningSince(database.write, since, maxRotations))
        await rotateIssuerKey(database.write, org_id, { next: await makeKey(org_id, alg), ...byLead(clock.now()) })
      await removeWithdrawnIssuerKeys(database.write, knownSince(now), maxRemovals)
    },
  }
}

type Promotion = Omit<Parameters<typeof rotateIssuerKey>[2], 'next'>

/** A next key may not sign yet, or there is none. */
class TooSoon extends Error {}

export function toPublic({ kid, alg, use, ...parts }: IssuerKey): JWK {
  const jwk = createPublicKey({ key: parts as JsonWebKey, format: 'jwk' }).export({ format: 'jwk' })
  return { ...(jwk as JWK), kid, alg, use }
}

const sealedPlace = (organizationId: string) => ({ organizationId, column: 'issuer_keys.private_key' })

/** Outside the thread of the requests: an RSA key takes some 100 ms. `der` is PKCS #8, `kid` as RFC 7638 has it. */
async function generate(alg: Algorithm): Promise<{ der: Buffer; kid: string }> {
  const { privateKey, publicKey } = await (alg === 'RS256'
    ? promisify(generateKeyPair)('rsa', { modulusLength: rsaBits })
    : promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }))
  const kid = await calculateJwkThumbprint(publicKey.export({ format: 'jwk' }))
  return { der: privateKey.export({ format: 'der', type: 'pkcs8' }), kid }
}
