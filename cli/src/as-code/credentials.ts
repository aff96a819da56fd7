import type { CredentialOptions, NewCredential } from '@signet/management'
import { type FieldType, oneOf, options, secret, text, texts } from './field-types.ts'
import { readAll } from './read-all.ts'
import { type Fields, pick, type Section } from './section.ts'

const providers = [...'abcdefgh'].map((letter) => `provider_${letter}`)
const own: Record<string, Record<string, FieldType>> = {
  provider_g: { tenant: text({ max: 253 }) },
  provider_h: { organization_url: text({ max: 270 }) },
}
const optionsOf = (provider: string) => [provider, { authorize_scopes: texts(), ...own[provider] }]

const types = {
  client_id: text({
    pattern: /^(?!\.{1,2}$)[ -~]{1,500}$/,
    rule: 'must be 1 to 500 printable ASCII characters, and neither . nor ..',
  }),
  provider: oneOf(...providers),
  client_secret: secret,
  label: text({ max: 200 }),
  external_cred_id: text({ max: 200 }),
  options: options(Object.fromEntries(providers.map(optionsOf))),
}

export const credentials: Section = {
  name: 'credentials',
  noun: 'credential',
  types,
  required: ['client_id', 'provider'],
  title: 'client_id',
  fixed: ['provider'],
  secret: ['client_secret'],
  writeOnly: 'client_secret',
  keyOf: ({ client_id }) => String(client_id),
  check: foreignOptions,
  list: async (signet) => {
    const records = await readAll('credentials', (place) => signet.listOidcCredentials({ query: place }))
    return records.map((record) => ({ id: record.client_id, fields: pick(record, Object.keys(types)) }))
  },
  create: async (signet, fields) => {
    const { result } = await signet.createOidcCredential({ body: fields as NewCredential })
    return { id: result.client_id }
  },
  change: async (signet, { id }, fields) => {
    await signet.modifyOidcCredential({ path: { oauth_client_id: id }, body: fields })
    return { id }
  },
  remove: (signet, { id }) => signet.deleteOidcCredential({ path: { oauth_client_id: id } }),
}

/** Those of another provider than its own are not kept, and would be missing from the record each time. */
function foreignOptions({ provider, options }: Fields): [string, string][] {
  const foreign = Object.keys((options as CredentialOptions | undefined) ?? {}).filter((name) => name !== provider)
  return foreign.map((name) => ['options', `${name}: the credential is one of ${provider}`])
}
