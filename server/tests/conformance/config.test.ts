import { expect } from 'vitest'
import { call, issuer, jsonOf, metadata, mirrors, useSuite } from './support/suite.ts'

useSuite()

mirrors('oidcc-discovery-endpoint-verification', async () => {
  const answer = await call(`${issuer}/.well-known/openid-configuration`, {})
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(metadata).toMatchObject({
    issuer,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
    grant_types_supported: expect.arrayContaining(['authorization_code']),
    scopes_supported: expect.arrayContaining(['openid']),
    claims_supported: expect.arrayContaining(['sub']),
    code_challenge_methods_supported: ['S256'],
  })
  for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])
    expect(metadata).toHaveProperty(name)
  for (const [name, value] of Object.entries(metadata))
    if (name.endsWith('_endpoint')) expect(new URL(String(value)).protocol).toBe('https:')
  for (const scope of metadata.scopes_supported) expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/)
  for (const locale of metadata.ui_locales_supported ?? []) expect(Intl.getCanonicalLocales(locale)).toEqual([locale])
  expect(Object.keys(metadata).filter((name) => !knownMembers.has(name))).toEqual([])
  const { keys } = await jsonOf(call(metadata.jwks_uri, {}))
  for (const key of keys) {
    expect(key).toMatchObject({ kid: expect.any(String), use: 'sig', alg: expect.any(String) })
    expect(key).not.toHaveProperty('d')
  }
  expect(new Set(keys.map(({ kid }: { kid: string }) => kid)).size).toBe(keys.length)
  return 'passed'
})

/** Of the registry of RFC 8414 and the specifications that add to it; any other is worth a warning to the suite. */
const knownMembers = new Set(
  `issuer authorization_endpoint token_endpoint userinfo_endpoint jwks_uri registration_endpoint scopes_supported
  response_types_supported response_modes_supported grant_types_supported acr_values_supported subject_types_supported
  id_token_signing_alg_values_supported id_token_encryption_alg_values_supported id_token_encryption_enc_values_supported
  userinfo_signing_alg_values_supported request_object_signing_alg_values_supported token_endpoint_auth_methods_supported
  token_endpoint_auth_signing_alg_values_supported display_values_supported claim_types_supported claims_supported
  service_documentation claims_locales_supported ui_locales_supported claims_parameter_supported request_parameter_supported
  request_uri_parameter_supported require_request_uri_registration op_policy_uri op_tos_uri revocation_endpoint
  revocation_endpoint_auth_methods_supported revocation_endpoint_auth_signing_alg_values_supported introspection_endpoint
  introspection_endpoint_auth_methods_supported introspection_endpoint_auth_signing_alg_values_supported
  code_challenge_methods_supported end_session_endpoint backchannel_logout_supported backchannel_logout_session_supported
  authorization_response_iss_parameter_supported prompt_values_supported`.split(/\s+/),
)
