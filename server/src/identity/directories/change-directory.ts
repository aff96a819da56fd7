import type { Database } from '../../ground/database/database.ts'
import { violates } from '../../ground/database/postgres-error.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import type { OperatorServers } from '../credentials/index.ts'
import { changeVouching } from './change-vouching.ts'
import { checkDirectoryCredential, holdDirectoryCredential } from './directory-credential.ts'
import { DirectoryChanges, emptyFields, mergeFields, requireTrusted } from './directory-fields.ts'
import {
  credentialTaken,
  DirectoryPath,
  DirectoryRecord,
  directoryIdIn,
  noSuchDirectory,
  scimUrlOf,
  toRecord,
} from './directory-record.ts'
import { findDirectory, lockDirectory, updateDirectory } from './directory-store.ts'

type Dependencies = { database: Database; baseUrl: string; servers: OperatorServers }

export const changeDirectory = ({ database, baseUrl, servers }: Dependencies) =>
  operation({
    id: 'changeDirectory',
    method: 'PATCH',
    path: '/organizations/directories/:id',
    scope: 'directories:write',
    tag: 'Directories',
    summary: 'Change a directory',
    description:
      'A JSON Merge Patch: what is absent stays, and `null` restores the default. Only admin keys change `oauth_client_id`, `match`, `adopt` ' +
      'and `email_domains`, and enable a directory again (403). It vouches at once for ' +
      'the addresses of its people in a domain that is added, and no more for those in one that is taken away. Whoever points the credential ' +
      'to another `tenant`, `organization_url` or `issuer`, or deletes it, takes `oauth_client_id` away.',
    params: DirectoryPath,
    body: DirectoryChanges,
    rules: [
      async ({ organizationId, params: { id }, body }) => {
        const before = isUuid(id) ? await findDirectory(database.read, organizationId, id) : undefined
        return mergeFields(before ?? emptyFields, body)
      },
      ({ organizationId, body }) =>
        checkDirectoryCredential(database.read, organizationId, body.oauth_client_id, servers),
    ],
    result: DirectoryRecord,
    refusals: [409],
    handle: ({ organizationId, isAdmin, record, params, body }) => {
      const id = directoryIdIn(params)
      const show = (directory: Parameters<typeof toRecord>[0]) =>
        toRecord(directory, scimUrlOf(baseUrl, organizationId))
      return database
        .transaction(async (tx) => {
          // First, as where the credential changes.
          const credentialId = await holdDirectoryCredential(tx, organizationId, body.oauth_client_id, servers)
          const before = await lockDirectory(tx, organizationId, id)
          if (!before) throw noSuchDirectory()
          const credential =
            credentialId === undefined
              ? {}
              : { credential_id: credentialId, oauth_client_id: body.oauth_client_id ?? null }
          const after = { ...before, ...mergeFields(before, body), ...credential }
          if (!isAdmin) requireTrusted(before, after)
          await updateDirectory(tx, organizationId, after)
          await changeVouching(tx, organizationId, id, { before: before.email_domains, after: after.email_domains })
          const sides = { before: show(before), after: show(after) }
          await record(tx, organizationId, { target: { type: 'directory', id }, ...sides })
          return sides.after
        })
        .catch((error) => {
          throw violates(error, 'directories_by_credential') ? credentialTaken() : error
        })
    },
  })
