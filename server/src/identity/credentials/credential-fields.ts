import { type Static, Type } from 'typebox'
import { badRequestOf, type Fault } from '../../ground/errors.ts'
import { closed, named, nullable, orAbsent, rule, shown } from '../../ground/http/chain/schemas.ts'
import type { CredentialColumns, Wait } from './credential-store.ts'
import {
  mergeOptions,
  missingOption,
  OptionsPatch,
  type Provider,
  ProviderName,
  pointElsewhere,
} from './provider-options.ts'
import {
  isCustomersOwn,
  notCustomersOwn,
  type OperatorServers,
  readTrustedDomains,
  trust_email_domains,
} from './trusted-domains.ts'

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
  trust_email_domains,
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
    // The provider of the example is nobody's own.
    trust_email_domains: Type.Optional({ ...orAbsent(trust_email_domains), examples: [[]] }),
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
      trust_email_domains: Type.Optional(nullable(trust_email_domains)),
    },
    { examples: [{ label: 'Staff and partners', options: { provider_a: { authorize_scopes: ['openid', 'email'] } } }] },
  ),
)

/** Where a rule of the schema is broken, a member or an item is undefined. */
type CredentialChanges = Omit<Static<typeof CredentialChanges>, 'trust_email_domains'> & {
  trust_email_domains?: (string | undefined)[] | null
}
type Fields = Omit<CredentialColumns, 'client_secret' | keyof Wait>

/** The fields of a new credential by default. */
export const emptyFields: Fields = {
  label: '',
  external_cred_id: '',
  options: {},
  active: true,
  trust_email_domains: [],
}

/**
 * Applies a merge patch (RFC 7396): absent fields stay, null restores the default. `servers`: what the operator has set. Throws a 400
 * with all problems.
 */
export function mergeFields(
  before: Fields,
  provider: Provider,
  changes: CredentialChanges,
  servers: OperatorServers = {},
): Fields {
  const external = readExternalId(changes)
  const options = mergeOptions(before.options, provider, changes.options)
  const trusted = mergeTrust(before, provider, { options, given: changes.trust_email_domains }, servers)
  const faults = [...external.faults, ...missingOption(provider, options), ...trusted.problems.map(invalid)]
  if (faults.length > 0) throw badRequestOf(faults)
  return {
    label: orBefore(changes.label, before.label),
    external_cred_id: orBefore(external.id, before.external_cred_id),
    options,
    active: changes.active === undefined ? before.active : (changes.active ?? true),
    trust_email_domains: trusted.domains,
  }
}

type TrustChange = Pick<Fields, 'options'> & { given: (string | undefined)[] | null | undefined }

/** The trust was in another server or tenant where the credential points elsewhere now; only a list that is given with it goes on. */
function mergeTrust(before: Fields, provider: Provider, { options, given }: TrustChange, servers: OperatorServers) {
  const isElsewhere = pointElsewhere(provider, before.options, options)
  if (given === undefined) return { domains: isElsewhere ? [] : before.trust_email_domains, problems: [] }
  const { domains, problems } = readTrustedDomains(given ?? [])
  const isRefused = given !== null && given.length > 0 && !isCustomersOwn(provider, options, servers)
  return { domains, problems: isRefused ? [...problems, notCustomersOwn] : problems }
}

const orBefore = (value: string | null | undefined, before: string) => (value === undefined ? before : (value ?? ''))

function readExternalId({ external_cred, external_cred_id }: CredentialChanges) {
  const id = external_cred_id === undefined ? external_cred : external_cred_id
  const isSame = external_cred === undefined || external_cred === id
  return { id, faults: isSame ? [] : [invalid('external_cred: must be the same as external_cred_id, or absent')] }
}

const invalid = (message: string): Fault => ({ code: 'invalid_value', message })
