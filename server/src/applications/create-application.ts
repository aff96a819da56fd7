import type { Database } from '../database/database.ts'
import { operation } from '../http/operation.ts'
import type { Clock } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import { checkFields, NewApplication, readNewApplication } from './application-fields.ts'
import { ApplicationWithSecret, toRecord } from './application-record.ts'
import { insertApplication } from './application-store.ts'
import { keepOrMakeSecret } from './keep-or-make-secret.ts'

export const createApplication = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'createApplication',
    method: 'POST',
    path: '/organizations/applications',
    access: 'key',
    scope: 'applications:write',
    tag: 'Applications',
    summary: 'Create an application',
    description:
      'An OpenID Connect client to which persons of the organization sign in. The `client_secret` of a confidential ' +
      'application is shown this once.',
    body: NewApplication,
    rules: [({ body }) => checkFields(body)],
    status: 201,
    result: ApplicationWithSecret,
    handle: async ({ organizationId, body }) => {
      const now = clock.now()
      const fields = readNewApplication(body)
      const { hash, shown } = keepOrMakeSecret(fields.confidential, null)
      const application = { client_id: makeId(now), ...fields, client_secret_hash: hash, created_at: new Date(now) }
      await insertApplication(database.write, organizationId, application)
      return { ...toRecord(application), ...shown }
    },
  })
