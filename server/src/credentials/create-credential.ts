import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import type { Keyring } from '../keys/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import { emptyFields, mergeFields, NewCredential } from './credential-fields.ts'
import { CredentialRecord, clientIdTaken, toRecord } from './credential-record.ts'
import { insertCredential } from './credential-store.ts'
import type { OnChange } from './credentials.ts'
import { encryptSecret } from './encrypted-secret.ts'

type Dependencies = { database: Database; clock: Clock; keyring: Keyring; baseUrl: string; onChange: OnChange }

export const createCredential = ({ database, clock, keyring, baseUrl, onChange }: Dependencies) =>
  operation({
    id: 'createOidcCredential',
    method: 'POST',
    path: '/organizations/sso/oidc/provider-credentials',
    access: 'key',
    scope: 'credentials:write',
    tag: 'SSO credentials',
    summary: 'Create OIDC credentials for SSO',
    description:
      'Register the `callback_url` of the answer at the provider. A client id that has a credential already: 409.',
    body: NewCredential,
    rules: [({ body }) => body.provider && mergeFields(emptyFields, body.provider, body)],
    status: 201,
    result: CredentialRecord,
    refusals: [409],
    handle: async ({ organizationId, body }) => {
      const { client_id, provider } = body
      const fields = mergeFields(emptyFields, provider, body)
      const client_secret = encryptSecret(keyring, organizationId, body.client_secret)
      const credential = { id: makeId(clock.now()), client_id, provider, client_secret, ...fields }
      if (!(await insertCredential(database.write, organizationId, credential))) throw clientIdTaken()
      onChange(organizationId, credential.id)
      return toRecord(credential, baseUrl)
    },
  })
