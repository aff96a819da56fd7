import type { CredentialOptions, NewCredential } from '@signet/management'
import { boolean, domains, options, secret, text } from './field-types.ts'
import { readAll } from './read-all.ts'
import { type Actual, type Fields, type MakeVariable, pick, type Section } from './section.ts'

const types = {
  client_id: text,
  provider: text,
  client_secret: secret,
  label: text,
  external_cred_id: text,
  options,
  active: boolean,
  trust_email_domains: domains,
}

export const credentials: Section = {
  name: 'credentials',
  noun: 'credential',
  types,
  required: ['client_id', 'provider'],
  title: 'client_id',
  immutable: ['provider'],
  secret: ['client_secret'],
  writeOnly: 'client_secret',
  keyOf: ({ client_id }) => String(client_id),
  check: foreignOptions,
  list: async (signet) => {
    const records = await readAll('credentials', (place) => signet.listOidcCredentials({ query: place }))
    // The list has the newest first, and its ids no time.
    return records.toReversed().map((record) => ({ id: record.client_id, fields: pick(record, Object.keys(types)) }))
  },
  conceal: withClientSecret,
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

function withClientSecret({ client_id, provider, ...others }: Fields, { fields }: Actual, makeVariable: MakeVariable) {
  const words = ['CREDENTIAL', String(fields.label || fields.client_id), 'CLIENT_SECRET']
  const variable = makeVariable(`client secret of the credential ${fields.client_id}`, ...words)
  return { client_id, provider, client_secret: variable, ...others }
}
