import { Type } from 'typebox'
import { targetTypes } from '../../ground/http/chain/recorded-change.ts'
import { named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import type { Entry } from './entry-store.ts'
import { type Names, nameOfActor, nameOfTarget } from './names.ts'

/** `console` and `link`: keys by a session of the console, and links for customers. */
export const actorTypes = ['key', 'operator', 'console', 'link', 'person', 'directory'] as const

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const thing = (description: string) =>
  Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], { description })

export const AuditEntryRecord = named(
  'AuditEntry',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id of the entry.' },
      at: { ...Timestamp, description: 'When it was written.' },
      actor: Type.Object(
        {
          type: Type.Enum([...actorTypes], { description: 'What made the change.' }),
          id: textOrNull('The id of the key, link, person or directory; null for the operator.'),
          name: textOrNull(
            'The name that the key or the directory had then, or the label of the link; of a person what it is called now. Null where it has none, for ' +
              'the operator, for a person who is deleted, and for persons without the scope `persons:read`.',
          ),
        },
        { description: 'Who made the change.' },
      ),
      action: Type.String({ description: 'The id of the operation.', examples: ['changeGroup'] }),
      target: Type.Object(
        {
          type: Type.Enum([...targetTypes], { description: 'What kind of thing it is.', examples: ['group'] }),
          id: Type.String({ description: 'What the interface calls it.', examples: ['engineering'] }),
          name: Type.Optional(
            Type.String({
              description:
                'What it was called then where the entry says so, else what it is called now. Of an identity or a session the person, of a ' +
                'trigger or a delivery the webhook or application, of a secret the application. Absent where it has no name, or none any ' +
                'more, and for persons without the scope `persons:read`.',
              examples: ['engineering'],
            }),
          ),
        },
        { description: 'What was changed.' },
      ),
      before: thing(
        'What the change replaced or removed; null where there was nothing. Secrets and handles are concealed.',
      ),
      after: thing('What there was after it; null where nothing was left.'),
      request_id: textOrNull('The `X-Request-Id` of the request; null at the first start of the service.'),
      client_ip_address: textOrNull('The address that the request came from.'),
    },
    {
      description: 'A change that somebody made through the management interface.',
      examples: [
        {
          id: '0199a3f2-5c00-7000-8000-0242ac120007',
          at: '2026-11-25T09:30:00.000Z',
          actor: { type: 'key', id: '0199a3f2-5c00-7000-8000-0242ac120002', name: 'Deployment' },
          action: 'changeGroup',
          target: { type: 'group', id: 'engineering', name: 'engineering' },
          before: { name: 'engineering', description: '', members_count: 12, created_at: '2026-11-01T08:00:00.000Z' },
          after: {
            name: 'engineering',
            description: 'Looked after by the platform team',
            members_count: 12,
            created_at: '2026-11-01T08:00:00.000Z',
          },
          request_id: '0199a3f2-5c00-7000-8000-0242ac120008',
          client_ip_address: '203.0.113.7',
        },
      ],
    },
  ),
)

export function toRecord(entry: Entry, names: Names) {
  const { id, at, actor, action, target, before, after, requestId, clientAddress } = entry
  const name = nameOfTarget(entry, names)
  return {
    id,
    at,
    actor: { ...actor, name: nameOfActor(entry, names) },
    action,
    target: { ...target, ...(name && { name }) },
    before,
    after,
    request_id: requestId,
    client_ip_address: clientAddress,
  }
}
