import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { checkFields, NewApplication, type Ports, readNewApplication } from './application-fields.ts'
import { ApplicationWithSecret, toRecord } from './application-record.ts'
import { insertApplication } from './application-store.ts'
import { keepLogoutAddress } from './keep-logout-address.ts'
import { keepOrMakeSecret } from './keep-or-make-secret.ts'

type Dependencies = { database: Database; clock: Clock; allowPorts?: Ports }

export const createApplication = ({ database, clock, allowPorts }: Dependencies) =>
  operation({
    id: 'createApplication',
    method: 'POST',
    path: '/organizations/applications',
    scope: 'applications:write',
    tag: 'Applications',
    summary: 'Create an application',
    description:
      'An OpenID Connect client to which persons of the organization sign in. The `client_secret` of a confidential ' +
      'application is shown this once.',
    body: NewApplication,
    rules: [({ body }) => checkFields(body, allowPorts)],
    status: 201,
    result: ApplicationWithSecret,
    confidentialOf: 'client_id',
    handle: ({ organizationId, record, body }) => {
      const now = clock.now()
      const fields = readNewApplication(body, allowPorts)
      const { secrets, shown } = keepOrMakeSecret(fields.confidential, [], now)
      const application = { client_id: makeId(now), ...fields, secrets, created_at: new Date(now) }
      const after = { ...toRecord(application), ...shown }
      return database.transaction(async (tx) => {
        await Promise.all([
          insertApplication(tx, organizationId, application),
          keepLogoutAddress(tx, organizationId, application),
          record(tx, organizationId, { target: { type: 'application', id: application.client_id }, after }),
        ])
        return after
      })
    },
  })
