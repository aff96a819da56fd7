import { isDeepStrictEqual } from 'node:util'
import type { JWK } from 'jose'
import type { Clock } from '../../ground/runtime/clock.ts'
import { keyTypes, type SafeAlgorithm } from './algorithms.ts'
import { createCooldowns } from './cooldowns.ts'
import { ProviderFailure } from './failure.ts'
import { createFetchCache } from './fetch-cache.ts'
import { fetchObject, isObject, type ProviderFetch } from './provider-fetch.ts'

/** A verification key; Entra's names the issuer for which it signs. */
export type Key = JWK & { issuer?: string }
/** `unfit`: the one that was found before, by which the signature is wrong. */
type Wanted = { alg: SafeAlgorithm; kid: string | undefined; unfit?: Key }
/** `credentialId`: whose token names the key. */
type Asking = { fetch: ProviderFetch; credentialId: string }
export type FindKey = (url: string, wanted: Wanted, asking: Asking) => Promise<Key | undefined>

/** `missing`: keys that an earlier set had and this one lacks, until when they are used. */
type KeySet = { keys: Key[]; missing: { key: Key; until: number }[] }

const maxSets = 500
const maxKeysInSet = 50
const maxMemberLength = 2_048
const freshMs = 10 * 60_000
/** How long a set is used while no newer one can be fetched; and how often a newer one is tried then. */
const usableMs = 3_600_000
const retryMs = 60_000
/** A set may lack a key for a moment, as where servers of a provider differ; one that was withdrawn is used for so long. */
const missingMs = 10 * 60_000

const requiredMembers = { RSA: ['n', 'e'], EC: ['crv', 'x', 'y'], OKP: ['crv', 'x'] } as const
/** Other members of a key, private ones above all, are dropped. */
const members = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y', 'issuer'] as const

/**
 * Key sets by their address. The tokens come from the provider's own token endpoint, so one that names an unknown key is worth a
 * fetch at once. Only a fetch that did not help is followed by a cooldown, and only for that credential: what one organization's
 * provider signs keeps no other from a set that both use. If a set has two keys that fit, neither is trusted.
 */
export function createFindKey(clock: Clock): FindKey {
  const sets = createFetchCache<KeySet>(maxSets, clock)
  const cooldowns = createCooldowns(clock)

  const read = async (url: string, fetch: ProviderFetch): Promise<KeySet> => {
    const keys = readKeys(await fetchObject(fetch, 'keys', { url, headers: { accept: 'application/json' } }))
    return succeed(sets.get(url)?.value, keys, clock.now())
  }

  const current = async (url: string, fetch: ProviderFetch): Promise<KeySet> => {
    const known = sets.get(url)
    if (!known) return sets.fetch(url, () => read(url, fetch))
    const [age, sinceAttempt] = [clock.now() - known.fetchedAt, clock.now() - known.attemptedAt]
    if (age < freshMs || (age < usableMs && sinceAttempt < retryMs)) return known.value
    const reading = sets.fetch(url, () => read(url, fetch))
    return age < usableMs ? reading.catch(() => known.value) : reading
  }

  return async (url, wanted, { fetch, credentialId }) => {
    const before = sets.get(url)?.value
    const set = await current(url, fetch)
    const found = pick(set, wanted, clock.now())
    if (found) return found
    const asker = `${credentialId} ${url}`
    if (set !== before) return cooldowns.lengthen(asker)
    if (!cooldowns.isOver(asker)) return undefined
    const newer = await sets
      .fetch(url, () => read(url, fetch))
      .catch((failure) => {
        cooldowns.lengthen(asker)
        throw failure
      })
    const key = pick(newer, wanted, clock.now())
    if (!key) return cooldowns.lengthen(asker)
    cooldowns.end(asker)
    return key
  }
}

/** What follows a set. A set without a key that could be used is none, and the one before it stays. */
function succeed(before: KeySet | undefined, keys: Key[], now: number): KeySet {
  if (keys.length === 0) throw new ProviderFailure('oidc_provider_error', 'keys', 'no key that could be used')
  const earlier = [...(before?.missing ?? []), ...(before?.keys ?? []).map((key) => ({ key, until: now + missingMs }))]
  const missing = earlier.filter(({ key, until }) => until > now && !keys.some(({ kid }) => kid === key.kid))
  return { keys, missing: missing.slice(-maxKeysInSet) }
}

const readKeys = ({ keys }: Record<string, unknown>): Key[] =>
  (Array.isArray(keys) ? keys : []).filter(isObject).slice(0, maxKeysInSet).map(readKey).filter(isWhole)

const readKey = (jwk: Record<string, unknown>): Key =>
  Object.fromEntries(
    members.flatMap((name) => {
      const value = jwk[name]
      return typeof value === 'string' && value.length <= maxMemberLength ? [[name, value]] : []
    }),
  )

const isWhole = (key: Key): boolean =>
  Object.hasOwn(requiredMembers, String(key.kty)) &&
  requiredMembers[key.kty as keyof typeof requiredMembers].every((name) => Boolean(key[name]))

/** A key that is missing is used only where the token names it. */
function pick({ keys, missing }: KeySet, wanted: Wanted, now: number): Key | undefined {
  const present = onlyOneIn(keys, wanted)
  if (present || wanted.kid === undefined || keys.some(({ kid }) => kid === wanted.kid)) return present
  return onlyOneIn(
    missing.filter(({ until }) => until > now).map(({ key }) => key),
    wanted,
  )
}

/** Without a `kid` only one key may fit. */
function onlyOneIn(keys: Key[], { alg, kid, unfit }: Wanted): Key | undefined {
  const fitting = keys.filter(
    (key) =>
      key.kty === keyTypes[alg].kty &&
      key.crv === keyTypes[alg].crv &&
      (key.alg ?? alg) === alg &&
      (key.use ?? 'sig') === 'sig' &&
      (kid === undefined || key.kid === kid),
  )
  return fitting.length === 1 && !isDeepStrictEqual(fitting[0], unfit) ? fitting[0] : undefined
}
