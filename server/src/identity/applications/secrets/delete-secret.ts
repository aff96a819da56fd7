import type { Database } from '../../../ground/database/database.ts'
import { conflict } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { clientIdIn, noSuchApplication } from '../application-record.ts'
import { lockApplication, updateApplication } from '../application-store.ts'
import type { Forget } from '../change-application.ts'
import { type ClientSecret, hasExpired } from '../client-secret.ts'
import { noSuchSecret, SecretPath, toSecretRecord } from './secret-record.ts'

type Dependencies = { database: Database; clock: Clock; forget: Forget }

export const deleteSecret = ({ database, clock, forget }: Dependencies) =>
  operation({
    id: 'deleteClientSecret',
    method: 'DELETE',
    path: '/organizations/applications/:client_id/secrets/:secret_id',
    scope: 'applications:write',
    recentSignIn: true,
    tag: 'Applications',
    summary: 'Delete a client secret of an application',
    description:
      'It is refused from then on (by other processes of the service two seconds later); sessions and tokens stay as they ' +
      'are. The last one that has not expired cannot be deleted: 409. To replace it at once, rotate it.',
    params: SecretPath,
    status: 204,
    refusals: [409],
    handle: ({ organizationId, record, params }) => {
      const clientId = clientIdIn(params)
      return database.transaction(async (tx) => {
        const application = await lockApplication(tx, organizationId, clientId)
        if (!application) throw noSuchApplication()
        const secret = application.secrets.find(({ id }) => id === params.secret_id.toLowerCase())
        if (!secret) throw noSuchSecret()
        const secrets = application.secrets.filter((each) => each !== secret)
        if (isLast(secret, secrets, clock)) throw lastOne()
        await updateApplication(tx, organizationId, clientId, { ...application, secrets })
        const before = toSecretRecord(secret)
        await record(tx, organizationId, { target: { type: 'application', id: clientId }, before })
        tx.afterCommit(() => forget(organizationId, clientId))
      })
    },
  })

/** Without it nobody could authenticate as the application; an expired one is missed by nobody, but a confidential application has one. */
const isLast = (secret: ClientSecret, others: ClientSecret[], clock: Clock) =>
  others.length === 0 || (!hasExpired(secret, clock) && others.every((other) => hasExpired(other, clock)))

const lastOne = () =>
  conflict('last_client_secret', 'client secret: the last one cannot be deleted: add another one first, or rotate it')
