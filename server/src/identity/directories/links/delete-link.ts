import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { directoryIdIn } from '../directory-record.ts'
import { LinkPath, noSuchLink, toRecord } from './link-record.ts'
import { closeOpenLink } from './link-store.ts'

type Dependencies = { database: Database; clock: Clock }

export const deleteLink = ({ database, clock }: Dependencies) =>
  operation({
    id: 'deleteDirectoryLink',
    method: 'DELETE',
    path: '/organizations/directories/:id/links/:link_id',
    scope: 'directories:write',
    adminOnly: true,
    tag: 'Directories',
    summary: 'Delete a directory link',
    description: 'Nobody can use it any more.',
    params: LinkPath,
    status: 204,
    handle: ({ organizationId, record, params: { link_id: id, ...params } }) => {
      const directory_id = directoryIdIn(params)
      return database.transaction(async (tx) => {
        if (!isUuid(id)) throw noSuchLink()
        const link = await closeOpenLink(tx, organizationId, { id, directory_id }, toTimestamp(clock.now()))
        if (!link) throw noSuchLink()
        const before = { directory_id, ...toRecord(link) }
        await record(tx, organizationId, { target: { type: 'directory_link', id: link.id }, before })
      })
    },
  })
