import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { KeepOwner } from '../organizations/index.ts'
import { CredentialPath, KeepSessions, noSuchCredential, toRecord } from './credential-record.ts'
import { lockCredential, removeCredential } from './credential-store.ts'
import type { EndCredential, OnChange, RemoveCredentialFromDirectory } from './credentials.ts'

type Dependencies = {
  database: Database
  baseUrl: string
  onChange: OnChange
  endCredential: EndCredential
  removeCredentialFromDirectory: RemoveCredentialFromDirectory
  keepOwner: KeepOwner
}

export const deleteCredential = ({
  database,
  baseUrl,
  onChange,
  endCredential,
  removeCredentialFromDirectory,
  keepOwner,
}: Dependencies) =>
  operation({
    id: 'deleteOidcCredential',
    method: 'DELETE',
    path: '/organizations/sso/oidc/provider-credentials/:oauth_client_id',
    scope: 'credentials:write',
    recentSignIn: true,
    tag: 'SSO credentials',
    summary: 'Delete OIDC credentials for SSO',
    description:
      'Nobody can sign in with them any more; other processes of the service notice within two seconds. A new credential for ' +
      'the same client id has another callback. Where an admin key deletes them, sessions, refresh tokens and codes that came of ' +
      'them end at once, which their applications hear, unless `keep_sessions` is true. An owner does not delete those without which no ' +
      'owner can sign in (409).',
    params: CredentialPath,
    query: KeepSessions,
    refusals: [409],
    handle: ({ organizationId, principal, isAdmin, record, params: { oauth_client_id: id }, query }) =>
      database.transaction(async (tx) => {
        const remove = async () => {
          const credential = await lockCredential(tx, organizationId, id)
          if (credential) await removeCredentialFromDirectory(tx, organizationId, credential.id, record)
          return removeCredential(tx, organizationId, id)
        }
        const credential = await keepOwner(tx, organizationId, principal, remove)
        if (!credential) throw noSuchCredential()
        if (isAdmin && query.keep_sessions !== 'true') await endCredential(tx, organizationId, credential.id)
        const before = toRecord(credential, baseUrl)
        await record(tx, organizationId, { target: { type: 'oidc_credential', id }, before })
        tx.afterCommit(() => onChange(organizationId, credential.id))
      }),
  })
