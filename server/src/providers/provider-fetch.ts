import type { EgressClient, Outcome } from '../outbound/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { ProviderFailure } from './failure.ts'

/** What a call is for; failures name it. */
export type Step = 'discovery' | 'keys' | 'token' | 'profile'
export type ProviderRequest = { url: string; headers?: Record<string, string>; body?: string }
export type ProviderAnswer = { status: number; headers: Record<string, string | string[]>; body: string }

/** POST where there is a body, else GET. Throws a `ProviderFailure` where there is no whole answer, and at 429 and 5XX. */
export type ProviderFetch = (step: Step, request: ProviderRequest) => Promise<ProviderAnswer>

const callMs = 5_000
/** For all calls of one step of a sign-in together. */
const budgetMs = 10_000
const maxResponseBytes = 256 * 1024
/** However much longer a provider wants to be left alone. */
const maxWaitMs = 60_000
/** GitHub answers nobody without it. */
const userAgent = 'Signet'

type Dependencies = { egress: EgressClient; clock: Clock; trustedOrigins: ReadonlySet<string> }

/** A way out for one step of a sign-in, with a deadline of its own for all its calls. */
export function createProviderFetch({ egress, clock, trustedOrigins }: Dependencies): ProviderFetch {
  const endsAt = clock.now() + budgetMs
  return async (step, request) => {
    const url = URL.parse(request.url)
    if (!url || !mayBeCalled(url, trustedOrigins))
      throw new ProviderFailure('provider_unreachable', `${step}: forbidden_address`)
    const make = () => call(egress, request, Math.min(callMs, endsAt - clock.now()))
    const outcome = await make()
    return toAnswer(step, isWorthAnother(request, outcome) ? await make() : outcome, clock.now())
  }
}

/** Also for a browser that is sent there. The operator may name any other place; a provider may not. */
export const mayBeCalled = (url: URL, trustedOrigins: ReadonlySet<string>): boolean =>
  !url.username && !url.password && (trustedOrigins.has(url.origin) || (url.protocol === 'https:' && url.port === ''))

async function call(
  egress: EgressClient,
  { url, headers, body }: ProviderRequest,
  timeoutMs: number,
): Promise<Outcome> {
  const lines = Object.entries({ ...headers, 'user-agent': userAgent }).flat()
  const request = {
    url,
    headers: lines,
    timeoutMs: Math.max(1, timeoutMs),
    keepBodyBytes: maxResponseBytes,
    maxResponseBytes: 2 * maxResponseBytes,
    needsBody: true,
  }
  return body === undefined ? egress.get(request) : egress.post({ ...request, body })
}

/** A code can be used once: what posts it is never sent again. */
const isWorthAnother = ({ body }: ProviderRequest, outcome: Outcome): boolean =>
  body === undefined &&
  outcome.kind === 'failed' &&
  (outcome.error === 'connection_refused' || outcome.error === 'connection_reset')

function toAnswer(step: Step, outcome: Outcome, now: number): ProviderAnswer {
  if (outcome.kind === 'failed') throw new ProviderFailure('provider_unreachable', `${step}: ${outcome.error}`)
  const { status, headers, answer, truncated } = outcome
  if (truncated) throw new ProviderFailure('oidc_provider_error', `${step}: more than ${maxResponseBytes} bytes`)
  if (status === 429 || status >= 500)
    throw new ProviderFailure('provider_unreachable', `${step}: HTTP ${status}`, { waitMs: readWait(headers, now) })
  return { status, headers, body: answer }
}

/** `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. */
function readWait({ 'retry-after': given }: ProviderAnswer['headers'], now: number): number {
  const text = String(given ?? '')
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return waitMs > 0 ? Math.min(waitMs, maxWaitMs) : 0
}

export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function parseJson(step: Step, { status, body }: ProviderAnswer): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new ProviderFailure('oidc_provider_error', `${step}: HTTP ${status} without JSON`)
  }
}

/** The answer must be a JSON object with status 200. */
export async function fetchObject(fetch: ProviderFetch, step: Step, request: ProviderRequest): Promise<JsonObject> {
  const answer = await fetch(step, request)
  const value = answer.status === 200 ? parseJson(step, answer) : undefined
  if (!isObject(value))
    throw new ProviderFailure('oidc_provider_error', `${step}: HTTP ${answer.status} without an object`)
  return value
}
