import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { badRequest, conflict } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, named, orAbsent } from '../../../ground/http/chain/schemas.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { ApplicationPath, clientIdIn, noSuchApplication } from '../application-record.ts'
import { lockApplication, updateApplication } from '../application-store.ts'
import type { Forget } from '../change-application.ts'
import { hasExpired, makeClientSecret } from '../client-secret.ts'
import { CreatedClientSecret, ExpiresAt, isPublic, toSecretRecord } from './secret-record.ts'

/** One in use, and the one that takes its place. */
const maxSecrets = 2

const NewClientSecret = named('NewClientSecret', closed({ expires_at: Type.Optional(orAbsent(ExpiresAt)) }))

type Dependencies = { database: Database; clock: Clock; forget: Forget }

export const createSecret = ({ database, clock, forget }: Dependencies) =>
  operation({
    id: 'createClientSecret',
    method: 'POST',
    path: '/organizations/applications/:client_id/secrets',
    scope: 'applications:write',
    tag: 'Applications',
    summary: 'Add a client secret to an application',
    description:
      'A confidential application has up to two that are valid at once, so that one can take the place of the other without ' +
      'a break: a third is 409, and so is one of a public application. It is shown this once. Expired ones go when another ' +
      'is added.',
    params: ApplicationPath,
    body: NewClientSecret,
    rules: [({ body }) => readExpiry(body.expires_at, clock.now())],
    status: 201,
    result: CreatedClientSecret,
    confidentialOf: 'client_id',
    refusals: [409],
    handle: ({ organizationId, record, params, body }) => {
      const clientId = clientIdIn(params)
      const now = clock.now()
      const { secret, stored } = makeClientSecret(now, readExpiry(body.expires_at, now))
      return database.transaction(async (tx) => {
        const before = await lockApplication(tx, organizationId, clientId)
        if (!before) throw noSuchApplication()
        if (!before.confidential) throw isPublic()
        const valid = before.secrets.filter((each) => !hasExpired(each, clock))
        if (valid.length >= maxSecrets) throw tooMany()
        await updateApplication(tx, organizationId, clientId, { ...before, secrets: [...valid, stored] })
        const after = { client_id: clientId, ...toSecretRecord(stored), client_secret: secret }
        await record(tx, organizationId, { target: { type: 'application', id: clientId }, after })
        tx.afterCommit(() => forget(organizationId, clientId))
        return after
      })
    },
  })

function readExpiry(text: string | null | undefined, now: number): Date | null {
  if (text === undefined || text === null) return null
  const time = Date.parse(text)
  if (time <= now) throw badRequest('invalid_value', 'expires_at: must be in the future')
  return new Date(time)
}

const tooMany = () =>
  conflict(
    'limit_reached',
    `client secrets: an application has at most ${maxSecrets}: delete one that is no longer used`,
  )
