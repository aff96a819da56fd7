import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { CredentialRecord, toRecord } from './credential-record.ts'
import { countCredentials, listCredentials as listCredentialsIn } from './credential-store.ts'
import { ProviderName } from './provider-options.ts'

export const listCredentials = ({ database, baseUrl }: { database: Database; baseUrl: string }) =>
  operation({
    id: 'listOidcCredentials',
    method: 'GET',
    path: '/organizations/sso/oidc/provider-credentials',
    scope: 'credentials:read',
    tag: 'SSO credentials',
    summary: 'List OIDC credentials for SSO',
    description: 'The newest first; with `oauth_provider`, those of this provider.',
    query: Type.Object({ oauth_provider: Type.Optional(ProviderName) }),
    result: CredentialRecord,
    paged: true,
    handle: async ({ organizationId, query }) => {
      const [credentials, totalCount] = await Promise.all([
        listCredentialsIn(database.pages, organizationId, query.oauth_provider, query),
        countCredentials(database.pages, organizationId, query.oauth_provider),
      ])
      return { items: credentials.map((credential) => toRecord(credential, baseUrl)), totalCount }
    },
  })
