import { Type } from 'typebox'
import { notFound } from '../../ground/errors.ts'
import { idInPath, named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { sentHeaderNames } from '../../ground/outbound/index.ts'
import { isUuid, timeOf } from '../../ground/runtime/identifiers.ts'
import { type LogoutContent, logoutClaims, logoutTrigger } from '../logouts/index.ts'
import { type AttemptRecord, AttemptSchema } from '../webhooks/attempts/index.ts'
import type { StoredDelivery } from './delivery-log-store.ts'
import { outcomeFields, outcomeOf, timeFields, timesOf } from './delivery-record.ts'

const LogoutClaims = Type.Object(
  {
    iss: Type.String({ description: 'The issuer.' }),
    aud: { ...Uuid, description: 'The client id.' },
    iat: Type.Integer({ description: 'When the request was made, in seconds since 1970.' }),
    exp: Type.Integer({ description: 'Two minutes after `iat`.' }),
    jti: { ...Uuid, description: 'New in each attempt.' },
    events: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Says that it is a logout token.',
        examples: [{ 'http://schemas.openid.net/event/backchannel-logout': {} }],
      },
    ),
    sub: Type.Optional(Type.String({ description: 'The person.' })),
    sid: Type.Optional(Type.String({ description: 'The session, as in its ID tokens.' })),
  },
  { description: 'The claims of its token.' },
)
const LogoutAttempt = named(
  'LogoutAttempt',
  Type.Object(
    {
      ...AttemptSchema.properties,
      request: Type.Optional(
        Type.Object(
          {
            kid: Type.String({ description: 'The id of the key that signed it.' }),
            claims: LogoutClaims,
            header_names: Type.Array(Type.String(), { description: 'The names of the headers.' }),
          },
          { description: 'What it sent.' },
        ),
      ),
    },
    { description: 'One request with a logout token.' },
  ),
)

const fields = {
  id: { ...Uuid, description: 'The id of the delivery.' },
  client_id: { ...Uuid, description: 'The application that is told.' },
  trigger_type: Type.Literal(logoutTrigger, { description: 'The type of the trigger.' }),
  trigger_name: Type.Literal(logoutTrigger, { description: 'The name of the trigger.' }),
  sub: Type.Optional(Type.String({ description: 'The claim `sub`: the person.' })),
  sid: Type.Optional(
    Type.String({
      description: 'The claim `sid`: the session that has ended. Absent: all sessions of the person have.',
    }),
  ),
  ...outcomeFields,
  created_at: { ...Timestamp, description: 'When the session ended.' },
  ...timeFields,
}
const example = {
  id: '0199a3f2-5c00-7000-8000-0242ac120003',
  client_id: '0199a3f2-5c00-7000-8000-0242ac120004',
  trigger_type: logoutTrigger,
  trigger_name: logoutTrigger,
  sub: '0199a3f2-5c00-7000-8000-0242ac120002',
  sid: '9gKZ0cqkXCYlVxDy0ZnVJ',
  status: 'succeeded',
  attempts_count: 1,
  last_status_code: 200,
  created_at: '2026-11-25T09:30:00.000Z',
  finished_at: '2026-11-25T09:30:00.060Z',
}
const exampleAttempt = {
  number: 1,
  jti: '0199a3f2-5c00-7000-8000-0242ac120005',
  started_at: '2026-11-25T09:30:00.020Z',
  duration_ms: 40,
  status_code: 200,
}

export const LogoutDelivery = named(
  'LogoutDelivery',
  Type.Object(fields, { description: 'What became of a logout token for an application.', examples: [example] }),
)
export const LogoutDeliveryWithAttempts = named(
  'LogoutDeliveryWithAttempts',
  Type.Object(
    { ...fields, attempts: Type.Array(LogoutAttempt, { description: 'Newest last.' }) },
    {
      description: 'What became of a logout token for an application, attempt by attempt.',
      examples: [{ ...example, attempts: [exampleAttempt] }],
    },
  ),
)

export type StoredLogout = Omit<StoredDelivery, 'trigger_type' | 'trigger_name' | 'dropped_claims'> & {
  /** Null only where an earlier release has ended it. */
  content: LogoutContent | null
}

export const toLogoutRecord = (clientId: string, delivery: StoredLogout) => ({
  id: delivery.event_id,
  client_id: clientId,
  trigger_type: logoutTrigger,
  trigger_name: logoutTrigger,
  ...delivery.content,
  ...outcomeOf(delivery),
  created_at: new Date(timeOf(delivery.event_id)),
  ...timesOf(delivery),
})

/** `sent`: as the log keeps it, `iat` and the key first. */
export const showLogoutAttempts = (
  attempts: AttemptRecord[],
  content: LogoutContent,
  addressed: { issuer: string; clientId: string },
) =>
  attempts.map(({ sent, ...attempt }) => {
    if (sent === undefined) return attempt
    const [iat, kid = ''] = sent.split(' ')
    const claims = logoutClaims(content, addressed, { jti: attempt.jti, iat: Number(iat) })
    return { ...attempt, request: { kid, claims, header_names: sentHeaderNames(['content-type']) } }
  })

export const ClientPath = Type.Object({ client_id: idInPath('The client id of the application.') })
export const LogoutPath = Type.Object({
  ...ClientPath.properties,
  delivery_id: idInPath('The id of the delivery.'),
})

/** Throws a 404 for text that is no UUID. */
export function logoutIn(params: { client_id: string; delivery_id: string }) {
  const clientId = clientIdIn(params)
  if (!isUuid(params.delivery_id)) throw noSuchLogout()
  return { clientId, id: params.delivery_id.toLowerCase() }
}

export function clientIdIn({ client_id }: { client_id: string }): string {
  if (!isUuid(client_id)) throw noSuchApplication()
  return client_id.toLowerCase()
}

export const noSuchApplication = () => notFound('application')
export const noSuchLogout = () => notFound('delivery')
