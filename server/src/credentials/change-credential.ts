import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import type { Keyring } from '../keys/index.ts'
import { CredentialChanges, mergeFields } from './credential-fields.ts'
import { CredentialPath, CredentialRecord, noSuchCredential, toRecord } from './credential-record.ts'
import { findByClientId, lockCredential, updateCredential } from './credential-store.ts'
import type { OnChange } from './credentials.ts'
import { encryptSecret } from './encrypted-secret.ts'

type Dependencies = { database: Database; keyring: Keyring; baseUrl: string; onChange: OnChange }

export const changeCredential = ({ database, keyring, baseUrl, onChange }: Dependencies) =>
  operation({
    id: 'modifyOidcCredential',
    method: 'PATCH',
    path: '/organizations/sso/oidc/provider-credentials/:oauth_client_id',
    access: 'key',
    tag: 'SSO credentials',
    summary: 'Modify OIDC credentials for SSO',
    description:
      'A JSON Merge Patch: what is absent stays, also within `options`, and `null` restores the default. The client secret ' +
      'can be replaced and not removed.',
    params: CredentialPath,
    body: CredentialChanges,
    rules: [
      async ({ organizationId, params, body }) => {
        const before = await findByClientId(database.read, organizationId, params.oauth_client_id)
        return before && mergeFields(before, before.provider, body)
      },
    ],
    status: 200,
    result: CredentialRecord,
    handle: ({ organizationId, params, body }) =>
      database.transaction(async (tx) => {
        const before = await lockCredential(tx, organizationId, params.oauth_client_id)
        if (!before) throw noSuchCredential()
        const secret = body.client_secret
        const client_secret =
          secret === undefined ? before.client_secret : encryptSecret(keyring, organizationId, secret)
        const credential = { ...before, ...mergeFields(before, before.provider, body), client_secret }
        await updateCredential(tx, organizationId, credential.id, credential)
        tx.afterCommit(() => onChange(organizationId, credential.id))
        return toRecord(credential, baseUrl)
      }),
  })
