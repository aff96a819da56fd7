import { Type } from 'typebox'
import { type OperationInput, operation } from '../../ground/http/chain/operation.ts'
import { idInPath, named } from '../../ground/http/chain/schemas.ts'
import { callerAt, createRateLimit, type Rate } from '../../ground/http/socket/rate-limit.ts'
import type { Keys } from '../../ground/keys/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'

const maxAgeSeconds = 300

/** Exactly these members (2.6): the serializer drops any other, a private one included. */
const VerificationKey = named(
  'VerificationKey',
  Type.Object(
    {
      alg: Type.Literal('ES256', { description: 'The algorithm of the signatures.' }),
      crv: Type.Literal('P-256', { description: 'The curve.' }),
      key_ops: Type.Array(Type.Literal('verify'), { description: 'What the key is for.' }),
      kid: Type.String({
        description: 'The id of the key, which the header of a JWT names.',
        examples: ['sQ4sJv7cQkL1m1dXQ0m2n5oX3zq0lq5G9Jt8y0cQY3A'],
      }),
      kty: Type.Literal('EC', { description: 'The kind of key.' }),
      use: Type.Literal('sig', { description: 'What the key is for, in a word.' }),
      x: Type.String({
        description: 'The first coordinate, base64url.',
        examples: ['MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4'],
      }),
      y: Type.String({
        description: 'The second coordinate, base64url.',
        examples: ['4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM'],
      }),
    },
    { description: 'A public key, as a JSON Web Key.' },
  ),
)
const VerificationKeySet = named(
  'VerificationKeySet',
  Type.Object(
    { keys: Type.Array(VerificationKey, { description: 'The key that signs now comes first.' }) },
    { description: 'The public keys of an organization, as a JSON Web Key Set.' },
  ),
)

const OrganizationPath = Type.Object({ id: idInPath('The id of the organization.') })

/** Two operations: by header, and by path for libraries that cannot send a header. Both share one rate limit. */
export const getVerificationKeys = ({ clock, keys, keySetRate }: { clock: Clock; keys: Keys; keySetRate: Rate }) => {
  const callers = createRateLimit(clock, keySetRate)
  const shared = {
    method: 'GET' as const,
    tag: 'Webhooks' as const,
    status: 200 as const,
    result: VerificationKeySet,
    bare: { maxAgeSeconds },
    refusals: [429],
    handle: async ({
      organizationId,
      caller,
    }: Pick<OperationInput<unknown, unknown, unknown>, 'organizationId' | 'caller'>) => {
      callers.take(`${organizationId} ${callerAt(caller.clientAddress)}`)
      return { keys: await keys.publishedKeys(organizationId) }
    },
  }
  const description =
    'The public keys of an organization, as a JSON Web Key Set without the envelope: the one that signs its webhooks ' +
    'now comes first, and the one that will sign next is among them. No API key is needed. Rate-limited for each ' +
    'organization and client address: keep the set, and ask again when a webhook names a `kid` that is not in it.'
  return [
    operation({
      ...shared,
      id: 'getVerificationKeys',
      path: '/organizations/webhooks/verification-jwks',
      access: 'organization',
      summary: 'Get the webhook verification key set',
      description,
    }),
    operation({
      ...shared,
      id: 'getVerificationKeysOfOrganization',
      path: '/organizations/:id/webhooks/verification-jwks',
      access: 'organization_in_path',
      summary: 'Get the webhook verification key set by its address alone',
      description: `${description} For libraries that can send no header; one that is sent is ignored.`,
      params: OrganizationPath,
    }),
  ]
}
