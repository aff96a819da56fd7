import { type Static, Type } from 'typebox'
import { badRequest, forbidden } from '../../ground/errors.ts'
import { closed, named, nullable, orAbsent, rule, ShownName } from '../../ground/http/chain/schemas.ts'
import { maxDomains, readTrustedDomains } from '../credentials/index.ts'
import type { Directory } from './directory-store.ts'

const maxPrefixLength = 40
const prefixRule = `must be at most ${maxPrefixLength} characters of A-Z a-z 0-9 - _ . and start with a letter or digit`

export const directoryFields = {
  name: { ...ShownName, examples: ['Corp staff'] },
  oauth_client_id: Type.String({
    maxLength: 500,
    ...rule('must be at most 500 characters'),
    description:
      "The client ID of the credential with which the directory's people sign in: one of the customer's own provider, and of one " +
      'directory only. Absent: it has none.',
    examples: ['0oa1b2c3d4'],
  }),
  match: Type.Enum(['external_id', 'none'], {
    ...rule('must be external_id or none'),
    description:
      "`external_id`: what the directory sends as `externalId` is the user's id at the provider of `oauth_client_id` (`sub`; at Entra the " +
      '`oid`), so that whoever signs in with it is that person. It counts for nothing without `oauth_client_id`. Default: `external_id`.',
  }),
  adopt: Type.Boolean({
    description:
      'Whether somebody whom the directory pushes becomes the person who is there already with that address, where an admin key vouched ' +
      'for it and it is in `email_domains`. Default: false.',
  }),
  email_domains: Type.Array(Type.String(), {
    maxItems: maxDomains,
    ...rule(`must be an array of at most ${maxDomains} domain names`),
    description:
      'Addresses in these very domains are handles for which the directory vouches. A-labels in lower case; none of a public mail ' +
      'service. Default: none.',
    examples: [['corp.example']],
  }),
  on_delete: Type.Enum(['delete', 'deactivate'], {
    ...rule('must be delete or deactivate'),
    description:
      'What becomes of a person whom the directory made and then deletes. One who was there before is always deactivated. Default: `delete`.',
  }),
  group_prefix: Type.String({
    pattern: `^(?:[A-Za-z0-9][\\w.-]{0,${maxPrefixLength - 1}})?$`,
    ...rule(prefixRule),
    description:
      'What stands in front of the names of the groups that the directory makes; earlier ones keep theirs. Default: empty.',
    examples: ['corp-'],
  }),
  enabled: Type.Boolean({
    description: 'Whether its tokens are accepted. Its people and groups stay as they are meanwhile. Default: true.',
  }),
}

const { name, oauth_client_id, match, adopt, email_domains, on_delete, group_prefix, enabled } = directoryFields

export const NewDirectory = named(
  'NewDirectory',
  closed(
    {
      name,
      oauth_client_id: Type.Optional(orAbsent(oauth_client_id)),
      match: Type.Optional(orAbsent(match)),
      adopt: Type.Optional(orAbsent(adopt)),
      email_domains: Type.Optional(orAbsent(email_domains)),
      on_delete: Type.Optional(orAbsent(on_delete)),
      group_prefix: Type.Optional(orAbsent(group_prefix)),
      enabled: Type.Optional(orAbsent(enabled)),
    },
    { examples: [{ name: 'Corp staff', email_domains: ['corp.example'], group_prefix: 'corp-' }] },
  ),
)

export const DirectoryChanges = named(
  'DirectoryChanges',
  closed(
    {
      name: Type.Optional(name),
      oauth_client_id: Type.Optional(nullable(oauth_client_id)),
      match: Type.Optional(nullable(match)),
      adopt: Type.Optional(nullable(adopt)),
      email_domains: Type.Optional(nullable(email_domains)),
      on_delete: Type.Optional(nullable(on_delete)),
      group_prefix: Type.Optional(nullable(group_prefix)),
      enabled: Type.Optional(nullable(enabled)),
    },
    { examples: [{ enabled: false }] },
  ),
)

/** All but the credential, which is looked up. */
export type Fields = Omit<Directory, 'id' | 'credential_id' | 'created_at'>
/** Where a rule of the schema is broken, a member or an item is undefined. */
type Changes = Omit<Static<typeof DirectoryChanges>, 'email_domains'> & {
  email_domains?: (string | undefined)[] | null
}

const defaults = {
  match: 'external_id',
  adopt: false,
  email_domains: [],
  on_delete: 'delete',
  group_prefix: '',
  enabled: true,
} satisfies Partial<Fields>

export const emptyFields: Fields = { name: '', ...defaults }

/** Applies a merge patch (RFC 7396): absent fields stay, null restores the default. Throws a 400 with all problems. */
export function mergeFields(before: Fields, changes: Changes): Fields {
  const given = readTrustedDomains(changes.email_domains ?? [], 'email_domains')
  const email_domains = changes.email_domains === undefined ? before.email_domains : given.domains
  const fields = {
    name: changes.name ?? before.name,
    match: merged(changes.match, before.match, defaults.match),
    adopt: merged(changes.adopt, before.adopt, defaults.adopt),
    email_domains,
    on_delete: merged(changes.on_delete, before.on_delete, defaults.on_delete),
    group_prefix: merged(changes.group_prefix, before.group_prefix, defaults.group_prefix),
    enabled: merged(changes.enabled, before.enabled, defaults.enabled),
  }
  const problems = [...given.problems, ...(fields.adopt && email_domains.length === 0 ? [adoptsWhom] : [])]
  if (problems.length > 0) throw badRequest('invalid_value', ...problems)
  return fields
}

const adoptsWhom = 'adopt: must be false or absent without email_domains, which say whom it may adopt'

const merged = <Value>(value: Value | null | undefined, before: Value, byDefault: Value) =>
  value === undefined ? before : (value ?? byDefault)

/** What decides who somebody is. */
const trusted = ['credential_id', 'match', 'adopt', 'email_domains'] as const
type Trusted = Pick<Directory, (typeof trusted)[number] | 'enabled'>

/** Throws a 403 naming what only admin keys and owners change; any key stops a directory, and only those let it go on. */
export function requireTrusted(before: Trusted, after: Trusted) {
  const changed = trusted.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
  const goesOn = after.enabled && !before.enabled
  const refused = goesOn ? [...changed, 'enabled' as const] : changed
  if (refused.length > 0) throw forbidden('admin_required', ...refused.map(byAdminKeys))
}

const byAdminKeys = (field: keyof Trusted) =>
  `${field === 'credential_id' ? 'oauth_client_id' : field}: must stay as it is, unless the key is an admin key`
