import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { CredentialPath, CredentialRecord, noSuchCredential, toRecord } from './credential-record.ts'
import { findByClientId } from './credential-store.ts'

export const getCredential = ({ database, baseUrl }: { database: Database; baseUrl: string }) =>
  operation({
    id: 'getOidcCredential',
    method: 'GET',
    path: '/organizations/sso/oidc/provider-credentials/:oauth_client_id',
    scope: 'credentials:read',
    tag: 'SSO credentials',
    summary: 'Get OIDC credentials for SSO',
    description: 'The client secret is not shown.',
    params: CredentialPath,
    result: CredentialRecord,
    handle: async ({ organizationId, params }) => {
      const credential = await findByClientId(database.read, organizationId, params.oauth_client_id)
      if (!credential) throw noSuchCredential()
      return toRecord(credential, baseUrl)
    },
  })
