import type { EgressClient, Outcome } from '../../ground/outbound/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { ProviderFailure, type Step } from './failure.ts'

/** The purpose of a request; failures name it. */
type RequestStep = Exclude<Step, 'callback' | 'ID token' | 'claims'>
type ProviderRequest = { url: string; headers?: Record<string, string>; body?: string }
type ProviderResponse = { status: number; headers: Record<string, string | string[]>; body: string }

/** POST if there is a body, else GET. Throws a `ProviderFailure` without a whole response, and at 429 and 5XX. */
export type ProviderFetch = (step: RequestStep, request: ProviderRequest) => Promise<ProviderResponse>

const requestMs = 5_000
/** For all requests of one step of a sign-in together. */
const budgetMs = 10_000
const maxResponseBytes = 256 * 1024
/** A longer wait that a provider asks for is cut. */
const maxWaitMs = 60_000
/** GitHub refuses requests without one. */
const userAgent = 'Signet'

type Dependencies = {
  egress: EgressClient
  clock: Clock
  trustedOrigins: ReadonlySet<string>
  /** Of the credential, and so of one organization. */
  credentialId: string
}

/** For one step of a sign-in, with one deadline for all its requests. */
export function createProviderFetch({ egress, clock, trustedOrigins, credentialId }: Dependencies): ProviderFetch {
  const endsAt = clock.now() + budgetMs
  return async (step, request) => {
    const url = URL.parse(request.url)
    if (!url || !mayBeCalled(url, trustedOrigins))
      throw new ProviderFailure('provider_unreachable', step, 'forbidden_address')
    const send = () => sendRequest(egress, request, credentialId, Math.min(requestMs, endsAt - clock.now()))
    const outcome = await send()
    return toResponse(step, mayRetry(request, outcome) ? await send() : outcome, clock.now())
  }
}

/** Holds also for addresses to which a browser is redirected. Only the operator may name others, not a provider. */
export const mayBeCalled = (url: URL, trustedOrigins: ReadonlySet<string>): boolean =>
  !url.username && !url.password && (trustedOrigins.has(url.origin) || (url.protocol === 'https:' && url.port === ''))

async function sendRequest(
  egress: EgressClient,
  { url, headers, body }: ProviderRequest,
  credentialId: string,
  timeoutMs: number,
): Promise<Outcome> {
  const lines = Object.entries({ ...headers, 'user-agent': userAgent }).flat()
  const request = {
    url,
    keptFor: credentialId,
    headers: lines,
    timeoutMs: Math.max(1, timeoutMs),
    keepBodyBytes: maxResponseBytes,
    maxResponseBytes: 2 * maxResponseBytes,
    needsBody: true,
  }
  return body === undefined ? egress.get(request) : egress.post({ ...request, body })
}

/** A code can be used once, so a POST is never retried. */
const mayRetry = ({ body }: ProviderRequest, outcome: Outcome): boolean =>
  body === undefined &&
  outcome.kind === 'failed' &&
  (outcome.error === 'connection_refused' || outcome.error === 'connection_reset')

function toResponse(step: RequestStep, outcome: Outcome, now: number): ProviderResponse {
  if (outcome.kind === 'failed') throw new ProviderFailure('provider_unreachable', step, outcome.error)
  const { status, headers, answer, truncated } = outcome
  if (truncated) throw new ProviderFailure('oidc_provider_error', step, `more than ${maxResponseBytes} bytes`)
  if (status === 429 || status >= 500)
    throw new ProviderFailure('provider_unreachable', step, `HTTP ${status}`, { waitMs: readWait(headers, now) })
  return { status, headers, body: answer }
}

/** `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. */
function readWait({ 'retry-after': value }: ProviderResponse['headers'], now: number): number {
  const text = String(value ?? '')
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return waitMs > 0 ? Math.min(waitMs, maxWaitMs) : 0
}

export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function parseJson(step: RequestStep, { status, body }: ProviderResponse): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new ProviderFailure('oidc_provider_error', step, `HTTP ${status} without JSON`)
  }
}

/** Throws a `ProviderFailure` unless the response is a JSON object with status 200. */
export async function fetchObject(
  fetch: ProviderFetch,
  step: RequestStep,
  request: ProviderRequest,
): Promise<JsonObject> {
  const response = await fetch(step, request)
  const value = response.status === 200 ? parseJson(step, response) : undefined
  if (!isObject(value))
    throw new ProviderFailure('oidc_provider_error', step, `HTTP ${response.status} without an object`)
  return value
}
