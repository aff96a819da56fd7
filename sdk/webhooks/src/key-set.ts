import { type CryptoKey, importJWK } from 'jose'
import { readBody } from './read-body.ts'
import { WebhookError } from './webhook-error.ts'

/** The public keys of one organization. */
export type KeySet = {
  /** Throws `unknown_key`, or `keys_unavailable` when the key set cannot be asked for it. */
  key(kid: string): Promise<CryptoKey>
}

export type KeySetOptions = {
  /** The base URL of Signet, from which the keys are fetched. */
  issuer: string
  organizationId: string
  /** To go through a proxy, for example. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds that a call with a key which is no longer fresh waits for the fetch. Default: 1,000. */
  patienceMs?: number
  /** Milliseconds since any moment, which must never go back. Default: `performance.now`; a wall clock may be corrected. */
  now?: () => number
}

/** As long as Signet says with its `Cache-Control`: what it withdraws is believed no longer than this, if it can be asked. */
const maxAgeMs = 300_000
/** If it cannot, so much longer: an outage of Signet ends sooner, and a withdrawn key is not believed for ever. */
const graceMs = 3_600_000
/** From one fetch to the next, and longer than one takes. Anybody can send key ids that nobody knows: they cost nothing more. */
const coolDownMs = 30_000
/** After one that failed: sooner, so that a receiver that started before Signet does not refuse for long. */
const coolDownAfterFailureMs = 5_000
/** As long as an event is waited for (6.2, rule 6). */
const fetchTimeoutMs = 10_000
/** Half of what a hook has in all (6.2, rule 6). */
const defaultPatienceMs = 1_000
const keySetBytes = 65_536

/**
 * Fetches the keys when they are needed and keeps them. They are fetched again when they are five minutes old and when a
 * `kid` is unknown, once for all who wait. While that fails, the keys that are there go on, for an hour.
 */
export function createKeySet(options: KeySetOptions): KeySet {
  const { issuer, organizationId, fetch = globalThis.fetch } = options
  const { patienceMs = defaultPatienceMs, now = () => performance.now() } = options
  let keys = new Map<string, CryptoKey>()
  let failure: unknown
  let [freshUntil, cooldownUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let pending: Promise<void> | undefined

  const refresh = async () => {
    cooldownUntil = now() + coolDownMs
    failure = new Error('is being fetched')
    try {
      keys = await fetchKeys(fetch, issuer, organizationId)
      failure = undefined
      freshUntil = now() + maxAgeMs
    } catch (error) {
      failure = error
      cooldownUntil = now() + coolDownAfterFailureMs
    }
    pending = undefined
  }

  const believed = (kid: string) => (now() < freshUntil + graceMs ? keys.get(kid) : undefined)

  const key = async (kid: string): Promise<CryptoKey> => {
    const known = believed(kid)
    if (known && now() < freshUntil) return known
    const isOurs = now() >= cooldownUntil
    if (isOurs) pending = refresh()
    if (isOurs || !mustNotShare()) await (known ? Promise.race([pending, elapsed(patienceMs)]) : pending)
    else if (known && pending) await elapsed(patienceMs)
    return believed(kid) ?? refuse(failure, options)
  }
  return { key }
}

function refuse(failure: unknown, { issuer, organizationId }: KeySetOptions): never {
  if (!failure) throw new WebhookError('unknown_key', 'kid: is not in the key set of the organization')
  const why = failure instanceof Error ? failure.message : String(failure)
  const message = `key set: could not be fetched from ${issuer} for the organization ${organizationId}: ${why}`
  throw new WebhookError('keys_unavailable', message, { cause: failure })
}

const elapsed = (ms: number) => new Promise<void>((over) => setTimeout(over, ms))

/** In Cloudflare's workers a request must not wait for what another one began. */
const mustNotShare = () => globalThis.navigator?.userAgent === 'Cloudflare-Workers'

async function fetchKeys(fetch: NonNullable<KeySetOptions['fetch']>, issuer: string, organizationId: string) {
  const response = await fetch(`${issuer}/organizations/webhooks/verification-jwks`, {
    headers: { 'Service-OrgID': organizationId },
    // The keys of another place are not those of the issuer. Not every edge runtime knows `error`.
    redirect: 'manual',
    signal: AbortSignal.timeout(fetchTimeoutMs),
  })
  if (response.status !== 200) {
    // Unread it would keep its connection.
    await response.body?.cancel()
    throw new Error(`was answered with ${response.status}`)
  }
  const text = response.body ? await readBody(response.body, keySetBytes) : ''
  return importKeys(readKeySet(text))
}

function readKeySet(text: string): { keys: Jwk[] } {
  try {
    const set = JSON.parse(text)
    if (Array.isArray(set.keys)) return set
  } catch {}
  throw new Error('was answered with something that is no key set')
}

type Jwk = { kty: string; crv: string; kid: string; x: string; y: string }

/** Of a set that has more in it, the keys of 2.6; of a key that has more in it, its public part. */
async function importKeys({ keys }: { keys: Jwk[] }): Promise<Map<string, CryptoKey>> {
  const ours = keys.filter(({ kty, crv }) => kty === 'EC' && crv === 'P-256')
  const imported = ours.map(async ({ kty, crv, kid, x, y }) => {
    const key = await importJWK({ kty, crv, x, y }, 'ES256')
    return [kid, key as CryptoKey] as const
  })
  return new Map(await Promise.all(imported))
}

const shared = new Map<string, KeySet>()
/** Organizations whose keys one process keeps. */
const sharedKeySets = 1_000

/** The same for all who ask for the keys of one organization at one Signet. */
export function sharedKeySet(issuer: string, organizationId: string): KeySet {
  const name = `${issuer} ${organizationId}`
  const keySet = shared.get(name) ?? createKeySet({ issuer, organizationId })
  // The last one is the one that was asked for most recently.
  shared.delete(name)
  shared.set(name, keySet)
  if (shared.size > sharedKeySets) shared.delete(shared.keys().next().value as string)
  return keySet
}
