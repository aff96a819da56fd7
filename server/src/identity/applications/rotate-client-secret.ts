import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import {
  ApplicationPath,
  ApplicationWithSecret,
  clientIdIn,
  noSuchApplication,
  toRecord,
} from './application-record.ts'
import { lockApplication, updateApplication } from './application-store.ts'
import type { Forget } from './change-application.ts'
import { makeClientSecret } from './client-secret.ts'
import { isPublic } from './secrets/secret-record.ts'

export const rotateClientSecret = ({ database, clock, forget }: { database: Database; clock: Clock; forget: Forget }) =>
  operation({
    id: 'rotateClientSecret',
    method: 'POST',
    path: '/organizations/applications/:client_id/client-secret',
    scope: 'applications:write',
    tag: 'Applications',
    summary: 'Rotate the client secret of an application',
    description:
      'A confidential application gets a new `client_secret`, shown this once. Those before are refused from then on (by ' +
      'other processes of the service two seconds later); sessions and tokens stay as they are. A public application has ' +
      'none: 409.',
    params: ApplicationPath,
    result: ApplicationWithSecret,
    confidentialOf: 'client_id',
    refusals: [409],
    handle: ({ organizationId, record, params }) => {
      const clientId = clientIdIn(params)
      return database.transaction(async (tx) => {
        const before = await lockApplication(tx, organizationId, clientId)
        if (!before) throw noSuchApplication()
        if (!before.confidential) throw isPublic()
        const { secret, stored } = makeClientSecret(clock.now())
        await updateApplication(tx, organizationId, clientId, { ...before, secrets: [stored] })
        const after = { ...toRecord(before), client_secret: secret }
        const target = { type: 'application' as const, id: clientId }
        await record(tx, organizationId, { target, before: toRecord(before), after })
        tx.afterCommit(() => forget(organizationId, clientId))
        return after
      })
    },
  })
