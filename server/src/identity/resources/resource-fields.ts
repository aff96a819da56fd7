import { type Static, Type } from 'typebox'
import { badRequest } from '../../ground/errors.ts'
import type { Rest } from '../../ground/http/chain/operation.ts'
import { closed, Name, named, nullable, orAbsent, rule } from '../../ground/http/chain/schemas.ts'
import { formatDuration, parseDuration } from '../../ground/runtime/duration.ts'
import { brokenIdentifierRule } from './identifier.ts'
import type { ResourceFields } from './resource-store.ts'

const maxIdentifierLength = 2_048
const maxScopes = 100
const maxScopeLength = 100
const minLifetimeMs = 1_000
const maxLifetimeMs = 86_400_000
const lifetimeRule = `must be a duration from ${formatDuration(minLifetimeMs)} to ${formatDuration(maxLifetimeMs)}, such as 10m`

/** Scopes of a sign-in, which mean the same whatever resource is named beside them. */
const ownScopes = ['openid', 'offline_access', 'profile', 'email', 'phone', 'address']

/** The characters of RFC 6749, 3.3. */
const Scope = Type.String({
  minLength: 1,
  maxLength: maxScopeLength,
  pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$',
  ...rule(`must be 1 to ${maxScopeLength} visible ASCII characters, without " and \\`),
})

export const resourceFields = {
  identifier: Type.String({
    maxLength: maxIdentifierLength,
    ...rule(`must be at most ${maxIdentifierLength} characters`),
    description:
      'What applications send as `resource`, and what the access tokens have as `aud`: an absolute URI without a fragment, ' +
      'compared character by character. It names the API, and need not be an address. It cannot be changed.',
    examples: ['https://api.example.com'],
  }),
  name: { ...Name, examples: ['Orders'] },
  scopes: Type.Array(Scope, {
    maxItems: maxScopes,
    uniqueItems: true,
    description:
      `The scopes that applications may ask for, at most ${maxScopes}. None by default. Those of a sign-in cannot be among them: ` +
      `${ownScopes.map((scope) => `\`${scope}\``).join(', ')}.`,
    examples: [['orders:read', 'orders:write']],
    ...rule(`must be an array of at most ${maxScopes} scopes, none of them twice`),
  }),
  token_lifetime: Type.String({
    description: 'How long an access token is valid: from `1s` to `24h`. Default: `10m`.',
    examples: ['10m'],
    ...rule(lifetimeRule),
  }),
}

const { identifier, name, scopes, token_lifetime } = resourceFields

export const NewResource = named(
  'NewResource',
  closed({
    identifier,
    name,
    scopes: Type.Optional(orAbsent(scopes)),
    token_lifetime: Type.Optional(orAbsent(token_lifetime)),
  }),
)

export const ResourceChanges = named(
  'ResourceChanges',
  closed(
    {
      name: Type.Optional(name),
      scopes: Type.Optional(nullable(scopes)),
      token_lifetime: Type.Optional(nullable(token_lifetime)),
    },
    { examples: [{ scopes: ['orders:read', 'orders:write'], token_lifetime: '5m' }] },
  ),
)

type NewResource = Static<typeof NewResource>
type ResourceChanges = Static<typeof ResourceChanges>

const defaults = { scopes: [] as string[], token_lifetime: '10m0s' }

/** Throws as `checkFields` does. */
export function readNewResource(body: NewResource): ResourceFields & { identifier: string } {
  checkFields(body)
  return { ...mergeFields({ ...defaults, name: body.name }, body), identifier: body.identifier }
}

/** Applies a merge patch (RFC 7396): absent fields stay, null restores the default. Throws as `checkFields` does. */
export function mergeFields(before: ResourceFields, { name, scopes, token_lifetime }: ResourceChanges): ResourceFields {
  checkFields({ scopes, token_lifetime })
  const lifetime = token_lifetime === null ? defaults.token_lifetime : (token_lifetime ?? before.token_lifetime)
  return {
    name: name ?? before.name,
    scopes: scopes === null ? defaults.scopes : (scopes ?? before.scopes),
    token_lifetime: formatDuration(parseDuration(lifetime) ?? 0),
  }
}

type Checked = { [Field in 'identifier' | 'scopes' | 'token_lifetime']?: Rest<NewResource>[Field] | undefined }

/** Throws a 400 with all problems of the fields that are present. */
export function checkFields({ identifier, scopes, token_lifetime }: Checked) {
  const broken = identifier === undefined ? undefined : brokenIdentifierRule(identifier)
  const problems = [
    ...(broken ? [`identifier: ${broken}`] : []),
    ...(scopes ?? []).flatMap((scope, index) =>
      scope !== undefined && ownScopes.includes(scope)
        ? [`scopes[${index}]: must not be ${scope}, a scope of sign-in`]
        : [],
    ),
    ...(isLifetime(token_lifetime) ? [] : [`token_lifetime: ${lifetimeRule}`]),
  ]
  if (problems.length > 0) throw badRequest('invalid_value', ...problems)
}

function isLifetime(text: string | null | undefined): boolean {
  if (text === undefined || text === null) return true
  const ms = parseDuration(text)
  return ms !== undefined && ms >= minLifetimeMs && ms <= maxLifetimeMs
}
