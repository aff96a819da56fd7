import type { JWK } from 'jose'
import type { Clock } from '../../ground/runtime/clock.ts'
import { createFetchCache } from './fetch-cache.ts'
import { fetchObject, isObject, type ProviderFetch } from './provider-fetch.ts'

/** A verification key; Entra's names the issuer for which it signs. */
export type Key = JWK & { issuer?: string }
export type FindKey = (url: string, wanted: Wanted, fetch: ProviderFetch) => Promise<Key | undefined>
type Wanted = { alg: string; kid: string | undefined }

const maxSets = 500
const maxKeysInSet = 50
const maxMemberLength = 2_048
/** A withdrawn key is used no longer than this. */
const freshMs = 10 * 60_000
/** How often a set is fetched again for a key that it does not have: anybody can name one. */
const cooldownMs = 60_000

const types: Record<string, Pick<Key, 'kty' | 'crv'>> = { RS256: { kty: 'RSA' }, ES256: { kty: 'EC', crv: 'P-256' } }
/** Other members of a key, private ones above all, are dropped. */
const members = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y', 'issuer'] as const

/** Key sets by their address. If a set has two keys that fit, neither is trusted. */
export function createFindKey(clock: Clock): FindKey {
  const sets = createFetchCache<Key[]>(maxSets, clock)
  return async (url, wanted, fetch) => {
    const read = async () => readSet(await fetchObject(fetch, 'keys', { url, headers: { accept: 'application/json' } }))
    const known = sets.get(url)
    const age = known ? clock.now() - known.fetchedAt : Number.POSITIVE_INFINITY
    const keys = known && age < freshMs ? known.value : await sets.fetch(url, read)
    const found = pick(keys, wanted)
    if (found || keys !== known?.value || clock.now() - known.attemptedAt < cooldownMs) return found
    return pick(await sets.fetch(url, read), wanted)
  }
}

const readSet = ({ keys }: Record<string, unknown>): Key[] =>
  (Array.isArray(keys) ? keys : []).filter(isObject).slice(0, maxKeysInSet).map(readKey)

const readKey = (jwk: Record<string, unknown>): Key =>
  Object.fromEntries(
    members.flatMap((name) => {
      const value = jwk[name]
      return typeof value === 'string' && value.length <= maxMemberLength ? [[name, value]] : []
    }),
  )

/** Without a `kid` only one key may fit. */
function pick(keys: Key[], { alg, kid }: Wanted): Key | undefined {
  const fitting = keys.filter(
    (key) =>
      key.kty === types[alg]?.kty &&
      key.crv === types[alg]?.crv &&
      (key.alg ?? alg) === alg &&
      (key.use ?? 'sig') === 'sig' &&
      (kid === undefined || key.kid === kid),
  )
  return fitting.length === 1 ? fitting[0] : undefined
}
