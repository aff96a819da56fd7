import type { Database } from '../../ground/database/database.ts'
import { violates } from '../../ground/database/postgres-error.ts'
import { conflict } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import type { OperatorServers } from '../credentials/index.ts'
import { checkDirectoryCredential, holdDirectoryCredential } from './directory-credential.ts'
import { emptyFields, mergeFields, NewDirectory, requireTrusted } from './directory-fields.ts'
import { credentialTaken, DirectoryRecord, scimUrlOf, toRecord } from './directory-record.ts'
import { countDirectories, insertDirectory } from './directory-store.ts'

const maxDirectories = 1_000

/** `servers`: what the operator has set for providers. */
export type Dependencies = { database: Database; clock: Clock; baseUrl: string; servers: OperatorServers }

export const createDirectory = ({ database, clock, baseUrl, servers }: Dependencies) =>
  operation({
    id: 'createDirectory',
    method: 'POST',
    path: '/organizations/directories',
    scope: 'directories:write',
    tag: 'Directories',
    summary: 'Create a directory',
    description:
      "A customer's directory, such as Okta or Microsoft Entra ID, which then keeps its people and their groups here by SCIM 2.0: give it " +
      '`scim_url` and a token. What decides who somebody is (`oauth_client_id`, `match`, `adopt`, `email_domains`) only admin keys give ' +
      `(403). A credential that another directory has, or more than ${maxDirectories} directories: 409.`,
    body: NewDirectory,
    rules: [
      ({ body }) => mergeFields(emptyFields, body),
      ({ organizationId, body }) =>
        checkDirectoryCredential(database.read, organizationId, body.oauth_client_id, servers),
    ],
    status: 201,
    result: DirectoryRecord,
    refusals: [409],
    handle: async ({ organizationId, isAdmin, record, body }) => {
      const now = clock.now()
      const fields = mergeFields(emptyFields, body)
      const oauth_client_id = body.oauth_client_id ?? null
      return database
        .transaction(async (tx) => {
          const credential_id = (await holdDirectoryCredential(tx, organizationId, oauth_client_id, servers)) ?? null
          const directory = { id: makeId(now), ...fields, credential_id, created_at: new Date(now) }
          if (!isAdmin) requireTrusted({ ...emptyFields, credential_id: null }, directory)
          await insertDirectory(tx, organizationId, directory)
          if ((await countDirectories(tx, organizationId)) > maxDirectories) throw tooMany()
          const shown = { ...directory, oauth_client_id, last_request_at: null }
          const after = toRecord(shown, scimUrlOf(baseUrl, organizationId))
          await record(tx, organizationId, { target: { type: 'directory', id: directory.id }, after })
          return after
        })
        .catch((error) => {
          throw violates(error, 'directories_by_credential') ? credentialTaken() : error
        })
    },
  })

const tooMany = () => conflict('limit_reached', `directories: an organization has at most ${maxDirectories}`)
