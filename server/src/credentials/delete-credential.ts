import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import { CredentialPath, noSuchCredential } from './credential-record.ts'
import { removeCredential } from './credential-store.ts'
import type { OnChange } from './credentials.ts'

type Dependencies = { database: Database; onChange: OnChange }

export const deleteCredential = ({ database, onChange }: Dependencies) =>
  operation({
    id: 'deleteOidcCredential',
    method: 'DELETE',
    path: '/organizations/sso/oidc/provider-credentials/:oauth_client_id',
    access: 'key',
    scope: 'credentials:write',
    tag: 'SSO credentials',
    summary: 'Delete OIDC credentials for SSO',
    description:
      'Nobody can sign in with them any more; other processes of the service notice within two seconds. A new credential for ' +
      'the same client id has another callback.',
    params: CredentialPath,
    status: 200,
    handle: async ({ organizationId, params }) => {
      const credentialId = await removeCredential(database.write, organizationId, params.oauth_client_id)
      if (!credentialId) throw noSuchCredential()
      onChange(organizationId, credentialId)
    },
  })
