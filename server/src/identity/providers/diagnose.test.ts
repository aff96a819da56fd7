import { describe, expect, test } from 'vitest'
import type { Credential, Provider } from '../credentials/index.ts'
import type { ProviderOverride } from './connector.ts'
import { diagnose, stepsOf } from './diagnose.ts'
import { failureOfError, ProviderFailure } from './failure.ts'

const credentialOf = (provider: Provider, scopes = ['openid']) => ({ provider, scopes }) as Credential
const stepOf = (failure: ProviderFailure, provider: Provider, override: ProviderOverride = {}) => {
  const { step, field } = diagnose(failure, credentialOf(provider), override)
  return `${step} ${field}`
}

describe('Which field is to be mended', () => {
  test.each<[error: string, at: 'callback' | 'token', expected: string]>([
    ['invalid_client', 'callback', 'authorization client_id'],
    ['unauthorized_client', 'callback', 'authorization client_id'],
    ['redirect_uri_mismatch', 'callback', 'authorization callback_url'],
    ['invalid_scope', 'callback', 'authorization options.provider_b.authorize_scopes'],
    ['access_denied', 'callback', 'authorization undefined'],
    ['constructor', 'callback', 'authorization undefined'],
    ['invalid_client', 'token', 'token client_secret'],
    ['incorrect_client_credentials', 'token', 'token client_secret'],
    ['redirect_uri_mismatch', 'token', 'token callback_url'],
    ['invalid_grant', 'token', 'token undefined'],
  ])('The error %s at the %s: %s', (error, at, expected) => {
    expect(stepOf(failureOfError(at, error), 'provider_b')).toBe(expected)
  })

  test('A server that cannot be used is named by the credential, by the operator, or by nobody', () => {
    const unknown = new ProviderFailure('credential_misconfigured', 'discovery', 'HTTP 404')
    const away = new ProviderFailure('provider_unreachable', 'discovery', 'name_not_found')
    const own = { issuer: 'https://id.internal.example' }
    expect(stepOf(unknown, 'provider_h')).toBe('discovery options.provider_h.organization_url')
    expect(stepOf(away, 'provider_h')).toBe('discovery options.provider_h.organization_url')
    expect(stepOf(away, 'provider_h', own)).toBe('discovery SIGNET_PROVIDERS')
    expect(stepOf(unknown, 'provider_g')).toBe('discovery options.provider_g.tenant')
    expect(stepOf(unknown, 'provider_g', own)).toBe('discovery SIGNET_PROVIDERS')
    expect(stepOf(away, 'provider_g')).toBe('discovery undefined')
    expect(stepOf(away, 'provider_a', { trust_email: true })).toBe('discovery undefined')
  })
})

test('A provider has the steps that a sign-in takes there', () => {
  const around = (...between: string[]) => ['state', 'authorization', 'token', ...between, 'claims']
  expect(stepsOf(credentialOf('provider_a'))).toEqual(['discovery', ...around('id_token')])
  expect(stepsOf(credentialOf('provider_h'))).toEqual(['discovery', ...around('id_token', 'userinfo')])
  expect(stepsOf(credentialOf('provider_c', ['account']))).toEqual(around('userinfo', 'emails'))
  expect(stepsOf(credentialOf('provider_d', ['read_user']))).toEqual(around('userinfo'))
  expect(stepsOf(credentialOf('provider_d', ['read_user', 'openid']))).toEqual(around('id_token', 'userinfo'))
})
