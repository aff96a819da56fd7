import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { directoryIdIn } from '../directory-record.ts'
import { noSuchToken, TokenPath, toRecord } from './token-record.ts'
import { removeToken } from './token-store.ts'

export const revokeToken = ({ database }: { database: Database }) =>
  operation({
    id: 'revokeDirectoryToken',
    method: 'DELETE',
    path: '/organizations/directories/:id/tokens/:token_id',
    scope: 'directories:write',
    adminOnly: true,
    recentSignIn: true,
    tag: 'Directories',
    summary: 'Revoke a token of a directory',
    description: 'From then on it is refused.',
    params: TokenPath,
    status: 204,
    handle: ({ organizationId, record, params: { token_id: id, ...params } }) => {
      const directory_id = directoryIdIn(params)
      return database.transaction(async (tx) => {
        const token = isUuid(id) ? await removeToken(tx, organizationId, directory_id, id) : undefined
        if (!token) throw noSuchToken()
        const before = { directory_id, ...toRecord(token) }
        await record(tx, organizationId, { target: { type: 'directory_token', id: token.id }, before })
      })
    },
  })
