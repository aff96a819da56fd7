import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { CredentialPath, noSuchCredential, toRecord } from './credential-record.ts'
import { lockCredential } from './credential-store.ts'
import type { EndCredential } from './credentials.ts'

type Dependencies = { database: Database; baseUrl: string; endCredential: EndCredential }

export const endSessionsOfCredential = ({ database, baseUrl, endCredential }: Dependencies) =>
  operation({
    id: 'endSessionsOfOidcCredential',
    method: 'POST',
    path: '/organizations/sso/oidc/provider-credentials/:oauth_client_id/end-sessions',
    scope: 'credentials:write',
    adminOnly: true,
    tag: 'SSO credentials',
    summary: 'End the sessions of OIDC credentials for SSO',
    description:
      'For a provider that was compromised: sessions, refresh tokens and codes of everybody who signed in with the credentials end at ' +
      'once; their applications hear it by and by. Everybody may sign in again, unless the credentials are switched off.',
    params: CredentialPath,
    status: 202,
    handle: ({ organizationId, record, params: { oauth_client_id: id } }) =>
      database.transaction(async (tx) => {
        const credential = await lockCredential(tx, organizationId, id)
        if (!credential) throw noSuchCredential()
        await endCredential(tx, organizationId, credential.id)
        const before = toRecord(credential, baseUrl)
        await record(tx, organizationId, {
          target: { type: 'oidc_credential', id },
          before,
          after: { ...before, sessions: 'ended' },
        })
      }),
  })
