import { Type } from 'typebox'
import { analyticsOf, type Publish } from '../../delivery/events/index.ts'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { type Caller, operation } from '../../ground/http/chain/operation.ts'
import { closed, rule } from '../../ground/http/chain/schemas.ts'
import type { KeepOwner } from '../organizations/index.ts'
import { type EndSessions, type Released, releasePersons, withdrawByDirectory } from '../persons/index.ts'
import { DirectoryPath, directoryIdIn, noSuchDirectory, scimUrlOf, toRecord } from './directory-record.ts'
import { lockDirectoryToRemove, removeDirectory } from './directory-store.ts'
import { releaseGroups, removeUsers, somePeople } from './people-store.ts'

const releasedAtOnce = 500
const publishedAtOnce = 1_000

type Dependencies = {
  database: Database
  baseUrl: string
  publish: Publish
  endSessions: EndSessions
  keepOwner: KeepOwner
}

export const deleteDirectory = ({ database, baseUrl, publish, endSessions, keepOwner }: Dependencies) => {
  /** All its people, in batches. Gives how many there were, and who is switched off by it. */
  async function release(tx: Transaction, organizationId: string, id: string, areKept: boolean) {
    const switchedOff: Released[] = []
    let count = 0
    let ids: string[]
    do {
      ids = await somePeople(tx, organizationId, id, releasedAtOnce)
      const released = await releasePersons(tx, organizationId, ids, areKept)
      await removeUsers(tx, organizationId, ids)
      const active = areKept ? [] : released.filter(({ active }) => active)
      await Promise.all(active.map(({ person_id }) => endSessions(tx, organizationId, person_id)))
      switchedOff.push(...active)
      count += ids.length
    } while (ids.length === releasedAtOnce)
    return { count, switchedOff }
  }

  /** Last, for a transaction that has published holds the feed back until it ends. */
  async function tell(tx: Transaction, organizationId: string, switchedOff: Released[], caller: Caller) {
    for (let start = 0; start < switchedOff.length; start += publishedAtOnce)
      await publish(tx, organizationId, switchedOff.slice(start, start + publishedAtOnce).map(toEvent(caller)))
  }

  return operation({
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
        const { count, switchedOff } = await release(tx, organizationId, id, people === 'keep')
        await withdrawByDirectory(tx, organizationId, id, [])
        await releaseGroups(tx, organizationId, id)
        await removeDirectory(tx, organizationId, id)
        const before = { ...toRecord(directory, scimUrlOf(baseUrl, organizationId)), people, persons_count: count }
        await record(tx, organizationId, { target: { type: 'directory', id }, before })
        await tell(tx, organizationId, switchedOff, caller)
      }
      return database.transaction((tx) => keepOwner(tx, organizationId, principal, () => remove(tx)))
    },
  })
}

const toEvent =
  (caller: Caller) =>
  ({ person_id, region }: Released) => ({
    name: 'PersonDeactivated_v1' as const,
    content: { analytics_metadata: analyticsOf(caller), person_id, region, reason: caller.by },
  })
