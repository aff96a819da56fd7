/**
 * What no hook says of a person: the claims of the protocol, those of the issuer, and those by which applications join accounts,
 * which come from a provider or an administrator; and names that would change the prototype of the claims.
 */
const protectedClaims = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'azp', 'auth_time', 'at_hash', 'c_hash', 's_hash'],
  ...['sid', 'acr', 'amr', 'client_id', 'scope', 'cnf', 'act', 'may_act', 'events', 'typ'],
  ...['org_id', 'groups', 'groups_truncated', 'region', 'authenticated_methods'],
  ...['email', 'email_verified', 'phone_number', 'phone_number_verified', 'preferred_username'],
  ...['_claim_names', '_claim_sources'],
  // A word to Signet: of a response it is taken before, of what an earlier release stored it is dropped.
  'deny',
  ...['__proto__', 'constructor', 'prototype'],
])

/** The claims of a hook that tokens may have, and the names of those that are dropped. */
export function keepHookClaims(given: object): { claims: Record<string, unknown>; dropped: string[] } {
  const members = Object.entries(given)
  return {
    claims: Object.fromEntries(members.filter(([name]) => !protectedClaims.has(name))),
    dropped: members.flatMap(([name]) => (protectedClaims.has(name) ? [name] : [])),
  }
}
