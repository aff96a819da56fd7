import { type CryptoKey, importJWK } from 'jose'
import { createElapsedTime } from './elapsed-time.ts'
import { readBody } from './read-body.ts'
import { WebhookError } from './webhook-error.ts'

/** The public keys of one organization. */
export type KeySet = {
  /** Throws `unknown_key`; `keys_unavailable` when the key set cannot be fetched; `wrong_setting` where it is none to be had. */
  key(kid: string): Promise<CryptoKey>
}

export type KeySetOptions = {
  /** The base URL of Signet, from which the keys are fetched. */
  issuer: string
  organizationId: string
  /** For a proxy, for example. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds that a request whose key is no longer fresh waits for the fetch. Default: 1,000. */
  patienceMs?: number
  /** Milliseconds that never go back. Default: elapsed time, with that in which the machine sleeps. */
  now?: () => number
}

/** Signet's own `Cache-Control`: a withdrawn key is trusted no longer than this while Signet can be reached. */
const maxAgeMs = 300_000
/** Additional time while Signet cannot be reached: longer than an outage, but a withdrawn key is not trusted forever. */
const graceMs = 3_600_000
/** After a fetch that did not help, then twice as long each time: requests with made-up key ids cause no more fetches than this. */
const firstCoolDownMs = 1_000
const longestCoolDownMs = 60_000
/** While fetches fail, so that a receiver that started before Signet soon accepts webhooks. */
const longestAfterFailureMs = 5_000
/** The timeout of an event (6.2, rule 6). */
const fetchTimeoutMs = 10_000
/** Half of the total timeout of a hook (6.2, rule 6). */
const defaultPatienceMs = 1_000
const keySetBytes = 65_536

/**
 * Fetches the keys when they are needed and caches them. They are fetched again when they are five minutes old or a `kid` is
 * unknown, once for all waiting requests, and at once unless the last fetch did not help. While fetches fail, cached keys are used for
 * another hour.
 */
export function createKeySet(options: KeySetOptions): KeySet {
  const { issuer, organizationId, fetch = globalThis.fetch } = options
  const { patienceMs = defaultPatienceMs, now = createElapsedTime() } = options
  let keys = new Map<string, CryptoKey>()
  let failure: unknown
  let [freshUntil, cooldownUntil, cooldownMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  let pending: Promise<void> | undefined

  const coolDown = (longestMs: number) => {
    cooldownMs = Math.min(longestMs, cooldownMs === 0 ? firstCoolDownMs : 2 * cooldownMs)
    cooldownUntil = now() + cooldownMs
  }

  /** For the first of those who wait; the others share it. One that never ends, as where its request was cancelled, ends with its time. */
  const refresh = async (kid: string) => {
    cooldownUntil = now() + fetchTimeoutMs
    failure = new Error('is being fetched')
    try {
      keys = await fetchKeys(fetch, issuer, organizationId)
      failure = undefined
      freshUntil = now() + maxAgeMs
      cooldownUntil = Number.NEGATIVE_INFINITY
      if (keys.has(kid)) cooldownMs = 0
    } catch (error) {
      failure = error
      coolDown(longestAfterFailureMs)
    }
    pending = undefined
  }

  const believed = (kid: string) => (now() < freshUntil + graceMs ? keys.get(kid) : undefined)

  const key = async (kid: string): Promise<CryptoKey> => {
    const known = believed(kid)
    if (known && now() < freshUntil) return known
    const isOurs = now() >= cooldownUntil
    if (isOurs) pending = refresh(kid)
    if (isOurs || !mustNotShare()) await (known ? Promise.race([pending, elapsed(patienceMs)]) : pending)
    else if (known && pending) await elapsed(patienceMs)
    const found = believed(kid)
    if (!found && !failure && now() >= cooldownUntil) coolDown(longestCoolDownMs)
    return found ?? refuse(failure, options)
  }
  return { key }
}

function refuse(failure: unknown, { issuer, organizationId }: KeySetOptions): never {
  if (!failure) {
    const advice = 'if that is so for every webhook, organizationId or issuer is that of another one'
    throw new WebhookError('unknown_key', `kid: is not in the key set of the organization ${organizationId}; ${advice}`)
  }
  if (failure instanceof WebhookError && failure.code === 'wrong_setting') throw failure
  const why = reasonOf(failure)
  const message = `key set: could not be fetched from ${issuer} for the organization ${organizationId}: ${why}`
  throw new WebhookError('keys_unavailable', message, { cause: failure })
}

/** The reason of a failed `fetch` is in its cause. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure)
  return failure.cause instanceof Error ? `${failure.message}: ${failure.cause.message}` : failure.message
}

/** The base URL as Signet writes it, which never ends in a slash. */
export const baseUrlOf = (issuer: string): string => issuer.replace(/\/+$/, '')

const elapsed = (ms: number) => new Promise<void>((over) => setTimeout(over, ms))

/** In Cloudflare Workers a request must not await I/O of another request. */
const mustNotShare = () => globalThis.navigator?.userAgent === 'Cloudflare-Workers'

async function fetchKeys(fetch: NonNullable<KeySetOptions['fetch']>, issuer: string, organizationId: string) {
  const response = await fetch(`${baseUrlOf(issuer)}/organizations/webhooks/verification-jwks`, {
    headers: { 'Service-OrgID': organizationId },
    // Keys from a redirect target are not those of the issuer. Not every edge runtime supports `error`.
    redirect: 'manual',
    signal: AbortSignal.timeout(fetchTimeoutMs),
  })
  if (response.status === 400 || response.status === 404)
    throw wrongSetting(await textOf(response), issuer, organizationId)
  if (response.status !== 200) {
    // An unread body would keep its connection open.
    await response.body?.cancel()
    throw new Error(`was answered with ${response.status}`)
  }
  const text = await textOf(response)
  return importKeys(readKeySet(text))
}

const textOf = async ({ body }: Response) => (body ? readBody(body, keySetBytes) : '')

/** Signet has no such organization, or what answers there is not Signet at its base URL: neither goes away by itself. */
function wrongSetting(text: string, issuer: string, organizationId: string): WebhookError {
  const isOfSignet = /"errors".*"message":"(organization|Service-OrgID): /.test(text)
  const message = isOfSignet
    ? `organizationId: ${organizationId} is no organization of the Signet at ${issuer}`
    : `issuer: ${issuer} is not the base URL of a Signet: it has no key sets there`
  return new WebhookError('wrong_setting', message)
}

function readKeySet(text: string): { keys: Jwk[] } {
  try {
    const set = JSON.parse(text)
    if (Array.isArray(set.keys)) return set
  } catch {}
  throw noKeySet()
}

const noKeySet = () => new Error('was answered with something that is no key set')

type Jwk = { kty: string; crv: string; kid: string; x: string; y: string }

/** Keeps only keys of the form of 2.6, and of each key only its public members. Signet's set always has some, each of them whole. */
async function importKeys({ keys }: { keys: Jwk[] }): Promise<Map<string, CryptoKey>> {
  const ours = keys.filter((key) => key?.kty === 'EC' && key.crv === 'P-256')
  if (ours.length === 0 || ours.some(({ kid }) => typeof kid !== 'string')) throw noKeySet()
  const imported = ours.map(async ({ kty, crv, kid, x, y }) => {
    const key = await importJWK({ kty, crv, x, y }, 'ES256')
    return [kid, key as CryptoKey] as const
  })
  return new Map(await Promise.all(imported))
}

const shared = new Map<string, KeySet>()
/** Organizations whose keys one process caches. */
const sharedKeySets = 1_000

/** One shared key set per issuer and organization. */
export function sharedKeySet(issuer: string, organizationId: string): KeySet {
  const name = `${baseUrlOf(issuer)} ${organizationId}`
  const keySet = shared.get(name) ?? createKeySet({ issuer, organizationId })
  // The map is in the order of use, the most recent last.
  shared.delete(name)
  shared.set(name, keySet)
  if (shared.size > sharedKeySets) shared.delete(shared.keys().next().value as string)
  return keySet
}
