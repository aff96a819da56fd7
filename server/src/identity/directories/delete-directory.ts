import { Type } from 'typebox'
import { type Publish, publishMany } from '../../delivery/events/index.ts'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, rule } from '../../ground/http/chain/schemas.ts'
import type { KeepOwner } from '../organizations/index.ts'
import {
  activityEvents,
  type EndSessions,
  type Released,
  releasePersons,
  withdrawByDirectory,
} from '../persons/index.ts'
import { DirectoryPath, directoryIdIn, noSuchDirectory, scimUrlOf, toRecord } from './directory-record.ts'
import { lockDirectoryToRemove, removeDirectory } from './directory-store.ts'
import { releaseGroups } from './groups/group-store.ts'
import { removeUsers, someUsers } from './user-store.ts'

const releasedAtOnce = 500

type Dependencies = {
  database: Database
  baseUrl: string
  publish: Publish
  endSessions: EndSessions
  keepOwner: KeepOwner
}

export const deleteDirectory = ({ database, baseUrl, publish, endSessions, keepOwner }: Dependencies) =>
  operation({
    id: 'deleteDirectory',
    method: 'DELETE',
    path: '/organizations/directories/:id',
    scope: 'directories:write',
    adminOnly: true,
    recentSignIn: true,
    tag: 'Directories',
    summary: 'Delete a directory',
    description:
      'Its calls are refused from then on. Its people stay: as they are, so that whom the directory had switched off stays off as if a key ' +
      'had done it, or with `people=deactivate` all switched off and signed out, which their applications hear; PersonDeactivated_v1 is ' +
      'published for each. Its groups become groups like any other, with their members. It vouches for no address any more.',
    params: DirectoryPath,
    query: closed({
      people: Type.Optional(
        Type.Enum(['keep', 'deactivate'], {
          ...rule('must be keep or deactivate'),
          description: 'What becomes of its people. Default: `keep`.',
        }),
      ),
    }),
    status: 204,
    refusals: [409],
    handle: ({ organizationId, principal, caller, record, params, query: { people = 'keep' } }) => {
      const id = directoryIdIn(params)
      const remove = async (tx: Transaction) => {
        const directory = await lockDirectoryToRemove(tx, organizationId, id)
        if (!directory) throw noSuchDirectory()
        const { count, switchedOff } = await release(tx, organizationId, id, {
          areKept: people === 'keep',
          endSessions,
        })
        await withdrawByDirectory(tx, organizationId, id, [])
        await releaseGroups(tx, organizationId, id)
        await removeDirectory(tx, organizationId, id)
        const before = { ...toRecord(directory, scimUrlOf(baseUrl, organizationId)), people, persons_count: count }
        return { switchedOff, before }
      }
      return database.transaction(async (tx) => {
        const { switchedOff, before } = await keepOwner(tx, organizationId, principal, () => remove(tx))
        await publishMany(publish, tx, organizationId, {
          changes: switchedOff,
          eventsOf: (person) => activityEvents(caller, person, { active: false }),
          record: () => record(tx, organizationId, { target: { type: 'directory', id }, before }),
        })
      })
    },
  })

type Releasing = { areKept: boolean; endSessions: EndSessions }

/** Lets go of all its people, in batches. Gives how many there were, and who is switched off by it. */
async function release(tx: Transaction, organizationId: string, id: string, { areKept, endSessions }: Releasing) {
  const switchedOff: Released[] = []
  let count = 0
  let ids: string[]
  do {
    ids = await someUsers(tx, organizationId, id, releasedAtOnce)
    const released = await releasePersons(tx, organizationId, ids, areKept)
    await removeUsers(tx, organizationId, ids)
    const deactivated = released.filter(({ active }) => active && !areKept)
    await Promise.all(deactivated.map(({ person_id }) => endSessions(tx, organizationId, person_id)))
    switchedOff.push(...deactivated)
    count += ids.length
  } while (ids.length === releasedAtOnce)
  return { count, switchedOff }
}
