import type { Database } from '../../ground/database/database.ts'
import { conflict } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { timeOf } from '../../ground/runtime/identifiers.ts'
import { logoutTrigger } from '../logouts/index.ts'
import { keptSince, type reopenLogout, type Wake } from '../queue/index.ts'
import { tooOld } from './delivery-record.ts'
import type { HasApplication } from './list-logouts.ts'
import { findLogout } from './logout-log-store.ts'
import { LogoutPath, logoutIn, noSuchApplication, noSuchLogout } from './logout-record.ts'

type Dependencies = {
  database: Database
  clock: Clock
  wake: Wake
  hasApplication: HasApplication
  reopenLogout: typeof reopenLogout
  /** How long the log is kept. */
  retentionMs: number
}

export const redeliverLogout = (dependencies: Dependencies) => {
  const { database, clock, wake, hasApplication, reopenLogout, retentionMs } = dependencies
  return operation({
    id: 'redeliverLogout',
    method: 'POST',
    path: '/organizations/applications/:client_id/deliveries/:delivery_id/redeliver',
    scope: 'deliveries:write',
    tag: 'Deliveries',
    summary: 'Send a logout token once more',
    description:
      'Opens a finished delivery again, whatever became of it: it is due at once, has a new window for its retries, is ' +
      'signed anew, and its attempts go on counting. 409: it is not finished, the application has no ' +
      '`backchannel_logout_uri`, or it is older than events are kept.',
    params: LogoutPath,
    status: 202,
    refusals: [409],
    handle: async ({ organizationId, record, params }) => {
      const { clientId, id } = logoutIn(params)
      const now = clock.now()
      if (!(await hasApplication(organizationId, clientId))) throw noSuchApplication()
      const delivery = await findLogout(database.read, organizationId, clientId, id)
      if (!delivery) throw noSuchLogout()
      if (!delivery.finished_at) throw notFinished()
      if (timeOf(id) < keptSince(now, retentionMs)) throw tooOld(retentionMs)
      await database.transaction(async (tx) => {
        // Without an address there is none to reopen; nor where another call was faster.
        if (!(await reopenLogout(tx, organizationId, clientId, id, toTimestamp(now)))) throw notReopened()
        const target = { type: 'delivery' as const, id }
        const after = { client_id: clientId, trigger_name: logoutTrigger, status: 'pending' }
        await record(tx, organizationId, { target, after })
        tx.afterCommit(() => wake(organizationId, [clientId]))
      })
    },
  })
}

const notFinished = () => conflict('delivery_not_finished', 'delivery: is not finished, and is tried again by itself')
const notReopened = () =>
  conflict(
    'delivery_not_repeatable',
    'delivery: its application has no backchannel_logout_uri, or it is being sent again',
  )
