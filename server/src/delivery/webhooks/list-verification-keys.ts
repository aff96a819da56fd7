import { Type } from 'typebox'
import { operation } from '../../ground/http/chain/operation.ts'
import { named, Timestamp } from '../../ground/http/chain/schemas.ts'
import type { Keys, KeyUse } from '../../ground/keys/index.ts'

const VerificationKeyUse = named(
  'VerificationKeyUse',
  Type.Object(
    {
      kid: Type.String({
        description: 'The id of the key, which the header of a JWT names.',
        examples: ['sQ4sJv7cQkL1m1dXQ0m2n5oX3zq0lq5G9Jt8y0cQY3A'],
      }),
      algorithm: Type.Literal('ES256', { description: 'The algorithm of its signatures.' }),
      state: Type.Enum(['published', 'signing', 'retired', 'withdrawn'], {
        description:
          '`signing`: signs now; `published`: the next one, which is in the set so that receivers know it; `retired`: signs no ' +
          'more, and is in the set until `withdrawn_at`; `withdrawn`: has left the set, and is removed within minutes.',
      }),
      published_at: { ...Timestamp, description: 'Since when it is in the key set.' },
      signs_from: {
        ...Timestamp,
        description:
          'When it began to sign; of the next key, the earliest moment at which it may, save in an emergency.',
      },
      signs_until: Type.Optional({ ...Timestamp, description: 'When another key took its place.' }),
      withdrawn_at: Type.Optional({ ...Timestamp, description: 'When it leaves the set, or left it.' }),
    },
    { description: 'When a verification key of webhooks signs.' },
  ),
)

export const listVerificationKeys = ({ keys }: { keys: Keys }) =>
  operation({
    id: 'listVerificationKeys',
    method: 'GET',
    path: '/organizations/webhooks/verification-keys',
    scope: 'webhooks:read',
    tag: 'Webhooks',
    summary: 'List the webhook verification keys with their times',
    description:
      'Which key signs when: the one that signs now, the next one, then those that signed before, the newest first. The keys ' +
      'themselves are in the key set.',
    result: Type.Array(VerificationKeyUse, { description: 'The key that signs now comes first.' }),
    handle: async ({ organizationId }) => (await keys.keyUses(organizationId)).map(toRecord),
  })

const toRecord = ({ kid, state, publishedAt, signsFrom, signsUntil, withdrawnAt }: KeyUse) => ({
  kid,
  algorithm: 'ES256',
  state,
  published_at: publishedAt,
  signs_from: signsFrom,
  signs_until: signsUntil,
  withdrawn_at: withdrawnAt,
})
