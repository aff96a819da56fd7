import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { CreatedAt, named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { namesOfPersons } from '../persons/index.ts'
import { expiryOf, idleMs } from './find-sessions.ts'
import { type ListedSession, pageOfSessions } from './session-store.ts'

const ConsoleSession = named(
  'ConsoleSession',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id of the session.' },
      by: Type.Object(
        {
          type: Type.Enum(['key', 'person'], { description: 'Whether an API key or a person signed in.' }),
          id: { ...Uuid, description: 'The id of the key or the person.' },
          name: Type.Optional(
            Type.String({
              description: 'The name of the key; of a person what they are called.',
              examples: ['Jo Doe'],
            }),
          ),
        },
        { description: 'Who signed in.' },
      ),
      created_at: CreatedAt,
      last_used_at: { ...Timestamp, description: 'When it was last used, to the minute.' },
      expires_at: { ...Timestamp, description: 'When it ends unless it is used.' },
      client_ip_address: Type.Optional(
        Type.String({ description: 'The address that it began from.', examples: ['203.0.113.7'] }),
      ),
      user_agent: Type.Optional(
        Type.String({ description: 'The browser that it began in.', examples: ['Mozilla/5.0'] }),
      ),
      is_current: Type.Boolean({ description: 'Whether this very request was made by it.', examples: [false] }),
    },
    { description: 'A browser that is signed in at the console.' },
  ),
)

export const listConsoleSessions = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'listConsoleSessions',
    method: 'GET',
    path: '/organizations/console-sessions',
    scope: 'settings:read',
    adminOnly: true,
    tag: 'Console',
    summary: 'List the sessions of the console',
    description:
      'The browsers that are signed in at the console with a key of the organization, or as one of its persons; the newest first.',
    result: ConsoleSession,
    paged: true,
    handle: async ({ organizationId, consoleSessionId, query }) => {
      const now = clock.now()
      const times = { now: toTimestamp(now), idleSince: toTimestamp(now - idleMs) }
      const { items, totalCount } = await pageOfSessions(database.pages, organizationId, times, query)
      const names = await namesOfPersons(database.pages, organizationId, items.flatMap(personIn))
      return { items: items.map((session) => toRecord(session, names, consoleSessionId)), totalCount }
    },
  })

const personIn = ({ personId }: ListedSession) => personId ?? []

function toRecord(session: ListedSession, names: Map<string, string>, current: string | undefined) {
  const { id, keyId, personId, createdAt, usedAt, endsAt, clientAddress, userAgent } = session
  const name = personId === null ? session.keyName : names.get(personId)
  return {
    id,
    by: { type: personId === null ? 'key' : 'person', id: personId ?? keyId, ...(name && { name }) },
    created_at: createdAt,
    last_used_at: usedAt,
    expires_at: expiryOf(usedAt, endsAt),
    ...(clientAddress && { client_ip_address: clientAddress }),
    ...(userAgent && { user_agent: userAgent }),
    is_current: id === current,
  }
}
