import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { ApplicationChanges, mergeFields, type Ports } from './application-fields.ts'
import {
  ApplicationPath,
  ApplicationWithSecret,
  clientIdIn,
  noSuchApplication,
  toRecord,
} from './application-record.ts'
import { findApplication, lockApplication, updateApplication } from './application-store.ts'
import { keepLogoutAddress } from './keep-logout-address.ts'
import { keepOrMakeSecret } from './keep-or-make-secret.ts'

/** Called once a change is committed, before the reply. */
export type OnChange = (organizationId: string, clientId: string) => Promise<void>
/** The same of a change of its secrets alone. */
export type Forget = (organizationId: string, clientId: string) => void
type Dependencies = { database: Database; clock: Clock; onChange: OnChange; allowPorts?: Ports }

export const changeApplication = ({ database, clock, onChange, allowPorts }: Dependencies) =>
  operation({
    id: 'changeApplication',
    method: 'PATCH',
    path: '/organizations/applications/:client_id',
    scope: 'applications:write',
    tag: 'Applications',
    summary: 'Change an application',
    description:
      'What is absent stays; `null` restores the default. One that becomes confidential gets a `client_secret`, shown this ' +
      'once; one that becomes public loses it.',
    params: ApplicationPath,
    body: ApplicationChanges,
    rules: [
      async ({ organizationId, params, body }) => {
        const before = await findApplication(database.read, organizationId, clientIdIn(params))
        return before && mergeFields(before, body, allowPorts)
      },
    ],
    result: ApplicationWithSecret,
    handle: async ({ organizationId, record, params, body }) => {
      const clientId = clientIdIn(params)
      const changed = await database.transaction(async (tx) => {
        const before = await lockApplication(tx, organizationId, clientId)
        if (!before) throw noSuchApplication()
        const fields = mergeFields(before, body, allowPorts)
        const { secrets, shown } = keepOrMakeSecret(fields.confidential, before.secrets, clock.now())
        const application = { ...before, ...fields, secrets }
        await updateApplication(tx, organizationId, clientId, application)
        // Where it is named again, too: a copy that was restored from a backup sends none until then.
        if (body.backchannel_logout_uri !== undefined) await keepLogoutAddress(tx, organizationId, application)
        const after = { ...toRecord(application), ...shown }
        const target = { type: 'application' as const, id: clientId }
        await record(tx, organizationId, { target, before: toRecord(before), after })
        return after
      })
      await database.onceCommitted(() => onChange(organizationId, clientId))
      return changed
    },
  })
