import { type Static, Type } from 'typebox'
import { named } from '../../ground/http/chain/schemas.ts'

const types = [
  'webhook',
  'group',
  'application',
  'oidc_credential',
  'directory',
  'resource',
  'api_key',
  'person',
  'event',
  'delivery',
] as const

export const Found = named(
  'Found',
  Type.Object(
    {
      type: Type.Enum(types, { description: 'What it is, as in the audit log.', examples: ['webhook'] }),
      id: Type.String({
        description:
          "What its own operation takes: an id, a group's name, a credential's client id; of a delivery that of its event, beside `webhook_id`.",
        examples: ['0199a3f2-5c00-7000-8000-0242ac120002'],
      }),
      name: Type.Optional(
        Type.String({
          description:
            'What it is called: its name or label; of a person what a provider said last, else a handle; of an event its name; of ' +
            'a delivery that of its trigger. Absent where it has none.',
          examples: ['Billing'],
        }),
      ),
      handle: Type.Optional(
        Type.String({
          description: 'Of a person: the handle that was found; where the id was, the first one.',
          examples: ['jo@example.com'],
        }),
      ),
      provider: Type.Optional(Type.String({ description: 'Of a credential.', examples: ['provider_a'] })),
      identifier: Type.Optional(Type.String({ description: 'Of a resource.', examples: ['https://api.example.com'] })),
      webhook_id: Type.Optional(
        Type.String({ description: 'Of a delivery.', examples: ['0199a3f2-5c00-7000-8000-0242ac120002'] }),
      ),
      status: Type.Optional(Type.String({ description: 'Of a delivery.', examples: ['succeeded'] })),
    },
    { description: 'A thing that was found.' },
  ),
)
export type Found = Static<typeof Found>
