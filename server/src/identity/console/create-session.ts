import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { badRequest, keyExpired, keyNotValid, operatorKeyNotValid } from '../../ground/errors.ts'
import type { Act, RecordChange } from '../../ground/http/chain/recorded-change.ts'
import { closed, Uuid } from '../../ground/http/chain/schemas.ts'
import { refuseUnstorableText } from '../../ground/http/chain/validation.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import { createFailedAttemptLimit } from '../../ground/limits/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import type { KeyAuthentication } from '../organizations/index.ts'
import type { Holder, Sessions } from './sessions.ts'

const limit = { kind: 'console_session', most: 10, periodMs: 60_000 }

export type CreateDependencies = {
  database: Database
  clock: Clock
  sessions: Sessions
  authentication: KeyAuthentication
  recordAs: (act: Act) => RecordChange
}

const Credentials = closed({
  organization_id: Type.Optional(Uuid),
  api_key: Type.Optional(Type.String()),
  operator_key: Type.Optional(Type.String()),
})
type Credentials = Static<typeof Credentials>
type OfKey = Required<Pick<Credentials, 'organization_id' | 'api_key'>>

/** Signs in. No cookie that the request has is taken over: nobody can know a session's cookie before it begins. */
export const createSession = ({ sessions, authentication, recordAs, ...stored }: CreateDependencies) => ({
  schema: { body: Credentials },
  preValidation: refuseUnstorableText,
  handler: async (request: FastifyRequest, reply: FastifyReply) => {
    const credentials = readCredentials(request.body as Credentials)
    const attempt = () => findHolder(credentials, authentication)
    const holder = await createFailedAttemptLimit(stored, limit)(clientAddress(request), attempt)
    const cookies = await sessions.begin(holder, request, recordAs)
    return reply.code(204).header('set-cookie', cookies).send()
  },
})

/** The operator's key, or an organization with its key. */
function readCredentials({ operator_key: operatorKey, ...given }: Credentials): string | OfKey {
  const names = ['organization_id', 'api_key'] as const
  const wrong = names.filter((name) => (given[name] === undefined) === (operatorKey === undefined))
  if (wrong.length > 0 && operatorKey === undefined)
    throw badRequest('required', ...wrong.map((name) => `${name}: is required`))
  if (wrong.length > 0)
    throw badRequest('invalid_value', ...wrong.map((name) => `${name}: must be absent where operator_key is given`))
  return operatorKey ?? (given as OfKey)
}

async function findHolder(credentials: string | OfKey, authentication: KeyAuthentication): Promise<Holder> {
  if (typeof credentials === 'string') {
    if (!authentication.isOperatorKey(credentials)) throw operatorKeyNotValid('operator_key')
    return 'operator'
  }
  const organizationId = credentials.organization_id.toLowerCase()
  const key = await authentication.authenticateKey(organizationId, credentials.api_key)
  if (!key) throw keyNotValid('api_key')
  if (key === 'expired') throw keyExpired('api_key')
  return { organizationId, key }
}
