import { timingSafeEqual } from 'node:crypto'
import type { Server } from './connector.ts'
import { failureOfCode, ProviderFailure } from './failure.ts'

/** In characters: codes have some hundred, of Entra up to two thousand. */
const maxParameterLength = 4_096

/** The callback's parameters must be each there once, of a length that is worth reading, and of this flow. */
export function checkState(answer: URLSearchParams, state: string): void {
  const names = [...answer.keys()]
  if (new Set(names).size !== names.length)
    throw new ProviderFailure('oidc_provider_error', 'callback: a parameter comes twice')
  if (['code', 'error', 'error_description'].some((name) => (answer.get(name) ?? '').length > maxParameterLength))
    throw new ProviderFailure('oidc_provider_error', 'callback: a parameter is too long')
  if (!isSame(answer.get('state') ?? '', state))
    throw new ProviderFailure('oidc_state_mismatch', 'callback: state is not the one sent')
}

/** What is of another issuer may not be read any further, not even an error (RFC 9207, section 2.4). */
export function checkIssuer(answer: URLSearchParams, server: Server): void {
  const iss = answer.get('iss')
  if (iss === null && server.authorization_response_iss_parameter_supported)
    throw new ProviderFailure('oidc_state_mismatch', 'callback: iss is missing')
  if (iss !== null && iss !== server.issuer)
    throw new ProviderFailure('oidc_state_mismatch', 'callback: iss is another issuer')
}

export function checkError(answer: URLSearchParams): void {
  const error = answer.get('error')
  const description = answer.get('error_description') ?? ''
  if (error) throw failureOfCode('callback', error, description)
  if (!answer.get('code')) throw failureOfCode('callback', 'neither code nor error', description)
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
