import { type Static, Type } from 'typebox'
import { badRequest, forbidden } from '../../ground/errors.ts'
import type { Principal, Rest } from '../../ground/http/chain/operation.ts'
import { rule } from '../../ground/http/chain/schemas.ts'
import { allScopes, listed, missingOf, readScopes, type Scope } from '../../ground/http/chain/scopes.ts'
import type { ApiKey } from './api-key-store.ts'

/** More than there are, for one that is repeated counts once. */
const maxScopes = 100

const ScopeName = Type.Enum([...allScopes], {
  ...rule(`must be one of ${allScopes.join(', ')}`),
  description: 'What the key may do; `write` reads too.',
})
const schema = (description: string) =>
  Type.Array(ScopeName, {
    minItems: 1,
    maxItems: maxScopes,
    ...rule(`must be an array of 1 to ${maxScopes} scopes`),
    description,
    examples: [['persons:write', 'groups:read']],
  })
export const givenScopes = schema(
  'What the key may do, instead of `read_only`. Absent: everything, or with `read_only` all that reads. One that is repeated counts once.',
)
export const shownScopes = schema('What the key may do. A key that has all scopes is an admin key.')

type Asked = { scopes?: Static<typeof givenScopes>; read_only?: boolean }
type Stored = Pick<ApiKey, 'scopes' | 'read_only'>

/** The columns: null where the key gets later scopes too. Throws as `refuseBoth` does. */
export function readScopesOf(asked: Asked): Stored {
  refuseBoth(asked)
  const { scopes, read_only: readOnly = false } = asked
  if (!scopes) return { scopes: null, read_only: readOnly }
  const isAdmin = missingOf(scopes, allScopes).length === 0
  return { scopes: isAdmin ? null : [...new Set(scopes)], read_only: !isAdmin }
}

/** Throws a 400: one of the two says it all. */
export function refuseBoth({ scopes, read_only: readOnly }: Rest<Asked>) {
  if (scopes && readOnly !== undefined)
    throw badRequest('invalid_value', 'read_only: must be absent where scopes is given')
}

/** What `caller` makes: a key with a list of scopes gives none that come later, which it would not get itself. */
export const givenBy = (caller: Principal | undefined, { scopes, read_only: readOnly }: Stored): Stored => ({
  scopes: scopes ?? (caller?.isAdmin ? null : [...grantedBy({ scopes, read_only: readOnly })]),
  read_only: readOnly,
})

export const grantedBy = ({ scopes, read_only: readOnly }: Stored): readonly Scope[] =>
  scopes ?? (readOnly ? readScopes : allScopes)

/** As in a record: a key is shown as read-only where it has no scope that writes. */
export function shownGrant(key: Stored) {
  const scopes = grantedBy(key)
  return { scopes, read_only: missingOf(readScopes, scopes).length === 0 }
}

/**
 * Throws a 403 that names what lies beyond the caller's own scopes and expiry: otherwise a narrow key could get itself more
 * by making a wider key, outlive its end, or disarm those above it.
 */
export function requireWithin(caller: Principal | undefined, key: Stored & Pick<ApiKey, 'expires_at'>) {
  const beyond = missingOf(caller?.scopes ?? [], grantedBy(key))
  const end = caller?.expiresAt
  const problems = [
    ...(beyond.length > 0 ? [`scopes: must be within those of the key that asks, which lacks ${listed(beyond)}`] : []),
    ...(end && (!key.expires_at || key.expires_at > end)
      ? [`expires_at: must be at most that of the key that asks, ${end.toISOString()}`]
      : []),
  ]
  if (problems.length > 0) throw forbidden('beyond_own_key', ...problems)
}
