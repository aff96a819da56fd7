import type { Database, Queries } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { notServed } from './move-mark-store.ts'
import { OrganizationPath, organizationIdIn } from './organization-record.ts'
import { findOrganization, markDeleted } from './organization-store.ts'

type CloseLanes = (queries: Queries, organizationId: string) => Promise<unknown>
/** Called before the reply: from then on no request to the organization's webhooks is begun. */
type Revoke = (organizationId: string) => Promise<void>
type Dependencies = { database: Database; clock: Clock; closeLanes: CloseLanes; revoke: Revoke }

export const deleteOrganization = ({ database, clock, closeLanes, revoke }: Dependencies) =>
  operation({
    id: 'deleteOrganization',
    method: 'DELETE',
    path: '/organizations/:id',
    access: 'operator',
    recentSignIn: true,
    tag: 'Organizations',
    summary: 'Delete an organization',
    description:
      'From then on every call for it is refused and none of its webhooks is called; its verification key set is served ten ' +
      'minutes more. All it has is removed after that. It cannot be undone.',
    params: OrganizationPath,
    status: 204,
    handle: async ({ params, record }) => {
      const organizationId = organizationIdIn(params)
      await database.transaction(async (tx) => {
        const [, before] = await Promise.all([
          lockOrganization(tx, organizationId),
          findOrganization(tx, organizationId),
          markDeleted(tx, organizationId, toTimestamp(clock.now())),
        ])
        if (!before) throw await notServed(tx, organizationId)
        await closeLanes(tx, organizationId)
        // Last: its position holds back all readers, and the lanes may have to be waited for.
        await record(tx, organizationId, { target: { type: 'organization', id: organizationId }, before })
      })
      // A webhook may have been created while the transaction waited for a lane, unseen by its statement.
      await closeLanes(database.write, organizationId).finally(() => revoke(organizationId))
    },
  })
