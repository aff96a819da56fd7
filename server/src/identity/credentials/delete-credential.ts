import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { CredentialPath, noSuchCredential, toRecord } from './credential-record.ts'
import { removeCredential } from './credential-store.ts'
import type { OnChange } from './credentials.ts'

type Dependencies = { database: Database; baseUrl: string; onChange: OnChange }

export const deleteCredential = ({ database, baseUrl, onChange }: Dependencies) =>
  operation({
    id: 'deleteOidcCredential',
    method: 'DELETE',
    path: '/organizations/sso/oidc/provider-credentials/:oauth_client_id',
    scope: 'credentials:write',
    tag: 'SSO credentials',
    summary: 'Delete OIDC credentials for SSO',
    description:
      'Nobody can sign in with them any more; other processes of the service notice within two seconds. A new credential for ' +
      'the same client id has another callback.',
    params: CredentialPath,
    handle: ({ organizationId, record, params: { oauth_client_id: id } }) =>
      database.transaction(async (tx) => {
        const credential = await removeCredential(tx, organizationId, id)
        if (!credential) throw noSuchCredential()
        const before = toRecord(credential, baseUrl)
        await record(tx, organizationId, { target: { type: 'oidc_credential', id }, before })
        tx.afterCommit(() => onChange(organizationId, credential.id))
      }),
  })
