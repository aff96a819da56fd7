import { type Static, Type } from 'typebox'
import { badRequest } from '../../ground/errors.ts'
import { closed, named, nullable, orAbsent, rule, shown } from '../../ground/http/chain/schemas.ts'
import type { CredentialColumns } from './credential-store.ts'
import { mergeOptions, missingOption, OptionsPatch, type Provider, ProviderName } from './provider-options.ts'

/** Even percent-encoded it fits in a path segment. */
const maxClientIdLength = 500
const maxSecretLength = 1_000
const maxTextLength = 200

const Text = Type.String({ maxLength: maxTextLength, ...rule(`must be at most ${maxTextLength} characters`) })

/** RFC 6749, A.1 and A.2. Not `.` or `..`, which clients remove from a path. */
export const credentialFields = {
  client_id: Type.String({
    pattern: `^(?!\\.{1,2}$)[\\x20-\\x7E]{1,${maxClientIdLength}}$`,
    ...rule(`must be 1 to ${maxClientIdLength} printable ASCII characters, and neither . nor ..`),
    description: 'The OAuth client ID that the provider gave. Unique within the organization; it does not change.',
    examples: ['8c1f2a7e.apps.example.com'],
  }),
  provider: ProviderName,
  label: {
    ...Text,
    ...shown,
    description: 'Shown to persons who choose between several credentials; without control and format characters.',
    examples: ['Staff'],
  },
  external_cred_id: { ...Text, description: 'What another system calls this credential.', examples: ['crm-42'] },
  active: Type.Boolean({
    description:
      'Whether persons sign in with it. Made through a link, or made or pointed elsewhere by a key that is no admin key, it is not ' +
      'until an admin key confirms it. Default: true.',
  }),
}
const { client_id, provider, label, external_cred_id, active } = credentialFields
const external_cred = {
  ...Text,
  description: 'Another name for `external_cred_id`; both given must be the same.',
  examples: ['crm-42'],
}
export const client_secret = Type.String({
  pattern: `^[\\x20-\\x7E]{1,${maxSecretLength}}$`,
  ...rule(`must be 1 to ${maxSecretLength} printable ASCII characters`),
  description: 'The OAuth client secret that the provider gave. Stored encrypted; never shown.',
  examples: ['GOCSPX-2nQ7'],
})

export const NewCredential = named(
  'NewCredential',
  closed({
    client_id,
    client_secret,
    provider,
    label: Type.Optional(orAbsent(label)),
    external_cred: Type.Optional(orAbsent(external_cred)),
    external_cred_id: Type.Optional(orAbsent(external_cred_id)),
    options: Type.Optional(OptionsPatch),
    active: Type.Optional(orAbsent(active)),
  }),
)

export const CredentialChanges = named(
  'CredentialChanges',
  closed(
    {
      client_secret: Type.Optional(client_secret),
      label: Type.Optional(nullable(label)),
      external_cred: Type.Optional(nullable(external_cred)),
      external_cred_id: Type.Optional(nullable(external_cred_id)),
      options: Type.Optional(OptionsPatch),
      active: Type.Optional(nullable(active)),
    },
    { examples: [{ label: 'Staff and partners', options: { provider_a: { authorize_scopes: ['openid', 'email'] } } }] },
  ),
)

type CredentialChanges = Static<typeof CredentialChanges>
type Fields = Omit<CredentialColumns, 'client_secret'>

/** The fields of a new credential by default. */
export const emptyFields: Fields = { label: '', external_cred_id: '', options: {}, active: true }

/**
 * Applies a merge patch (RFC 7396): absent fields stay, null restores the default. Throws a 400 with all problems.
 */
export function mergeFields(before: Fields, provider: Provider, changes: CredentialChanges): Fields {
  const external = readExternalId(changes)
  const options = mergeOptions(before.options, provider, changes.options)
  const problems = [external.problem, missingOption(provider, options)].filter((problem) => problem !== undefined)
  if (problems.length > 0) throw badRequest(...problems)
  return {
    label: orBefore(changes.label, before.label),
    external_cred_id: orBefore(external.id, before.external_cred_id),
    options,
    active: changes.active === undefined ? before.active : (changes.active ?? true),
  }
}

const orBefore = (value: string | null | undefined, before: string) => (value === undefined ? before : (value ?? ''))

function readExternalId({ external_cred, external_cred_id }: CredentialChanges) {
  const id = external_cred_id === undefined ? external_cred : external_cred_id
  if (external_cred === undefined || external_cred === id) return { id }
  return { id, problem: 'external_cred: must be the same as external_cred_id, or absent' }
}
