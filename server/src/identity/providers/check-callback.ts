import { timingSafeEqual } from 'node:crypto'
import type { Server } from './connector.ts'
import { failureOfError, ProviderFailure } from './failure.ts'

/** In characters: most codes have some hundred, Entra's up to two thousand. */
const maxParameterLength = 4_096

/** Each of the callback's parameters may occur once, must not be too long, and the state must be that of this flow. */
export function checkState(parameters: URLSearchParams, state: string): void {
  const names = [...parameters.keys()]
  if (new Set(names).size !== names.length)
    throw new ProviderFailure('oidc_provider_error', 'callback', 'a parameter comes twice')
  if (['code', 'error', 'error_description'].some((name) => (parameters.get(name) ?? '').length > maxParameterLength))
    throw new ProviderFailure('oidc_provider_error', 'callback', 'a parameter is too long')
  if (!isSame(parameters.get('state') ?? '', state))
    throw new ProviderFailure('oidc_state_mismatch', 'callback', 'state is not the one sent')
}

/** Nothing else of a callback from another issuer may be read, not even an error (RFC 9207, section 2.4). */
export function checkIssuer(parameters: URLSearchParams, server: Server): void {
  const iss = parameters.get('iss')
  if (iss === null && server.authorization_response_iss_parameter_supported)
    throw new ProviderFailure('oidc_state_mismatch', 'callback', 'iss is missing')
  if (iss !== null && iss !== server.issuer)
    throw new ProviderFailure('oidc_state_mismatch', 'callback', 'iss is another issuer')
}

export function checkError(parameters: URLSearchParams): void {
  const error = parameters.get('error')
  const description = parameters.get('error_description') ?? ''
  if (error) throw failureOfError('callback', error, description)
  if (!parameters.get('code')) throw failureOfError('callback', 'neither code nor error', description)
}

function isSame(text: string, expected: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
