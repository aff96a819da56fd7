import { createPrivateKey, generateKeyPair, type JsonWebKey } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint } from 'jose'
import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Vault } from '../keys/index.ts'
import {
  type Algorithm,
  algorithms,
  insertFirstIssuerKeys,
  issuerKeysSigningSince,
  loadIssuerKeys,
  removeWithdrawnIssuerKeys,
  rotateIssuerKey,
  type StoredIssuerKey,
} from './issuer-key-store.ts'

const rsaBits = 2_048
/** A key that signed stays in the set for so long, or as long as an ID token lives. */
const stayMs = 3_600_000
/** In one run of the upkeep: rotations, of which one for RS256 takes some 100 ms of another thread, and rows removed. */
const maxRotations = 50
const maxRemovals = 1_000

/** Ready to sign, with all its parts. */
export type IssuerKey = JsonWebKey & { kid: string; alg: Algorithm; use: 'sig' }

export type IssuerKeys = {
  /** The published keys, made at their first use; of each algorithm the first one signs. Undefined: no such organization. */
  find(organizationId: string): Promise<StoredIssuerKey[] | undefined>
  open(organizationId: string, key: StoredIssuerKey): IssuerKey
  /** Rotates the keys that have signed for long, and removes those that have left the set: some at a time. */
  keepUp(): Promise<void>
}

type Dependencies = {
  database: Database
  clock: Clock
  vault: Vault
  /** How long a key is published before it may sign. */
  keyLeadMs: number
  /** A key that has signed for so long is replaced. */
  keyRotationMs: number
  idTokenMs: number
}

export function createIssuerKeys({ database, clock, vault, ...times }: Dependencies): IssuerKeys {
  const makeKey = async (organizationId: string, alg: Algorithm): Promise<StoredIssuerKey> => {
    const { der, kid } = await generate(alg)
    return { kid, alg, privateKey: vault.seal(der, sealedPlace(organizationId)) }
  }

  const makeFirst = async (organizationId: string) => {
    const pair = async (alg: Algorithm) => ({
      current: await makeKey(organizationId, alg),
      next: await makeKey(organizationId, alg),
    })
    const keys = await Promise.all(algorithms.map(pair))
    await insertFirstIssuerKeys(database.write, organizationId, keys, toTimestamp(clock.now()))
  }

  const load = (organizationId: string) => loadIssuerKeys(database.read, organizationId, toTimestamp(clock.now()))

  const rotate = async (organizationId: string, alg: Algorithm) => {
    const next = await makeKey(organizationId, alg)
    const now = clock.now()
    await rotateIssuerKey(database.write, organizationId, {
      next,
      publishedUntil: toTimestamp(now - times.keyLeadMs),
      leaveAt: toTimestamp(now + Math.max(stayMs, times.idTokenMs)),
      now: toTimestamp(now),
    })
  }

  return {
    async find(organizationId) {
      const found = await load(organizationId)
      if (found?.length !== 0) return found
      await makeFirst(organizationId)
      return load(organizationId)
    },
    open(organizationId, { kid, alg, privateKey }) {
      const der = vault.open(privateKey, sealedPlace(organizationId))
      const jwk = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
      return { ...jwk, kid, alg, use: 'sig' }
    },
    async keepUp() {
      const now = clock.now()
      // A next key is made at the moment the present one begins to sign, so it was published for as long.
      const since = toTimestamp(now - Math.max(times.keyRotationMs, times.keyLeadMs))
      for (const { org_id, alg } of await issuerKeysSigningSince(database.write, since, maxRotations))
        await rotate(org_id, alg)
      await removeWithdrawnIssuerKeys(database.write, toTimestamp(now), maxRemovals)
    },
  }
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
