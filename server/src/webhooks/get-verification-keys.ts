import { Type } from 'typebox'
import type { Clock } from '../clock.ts'
import { operation } from '../http/operation.ts'
import { callerAt, createRateLimit, type Rate } from '../http/rate-limit.ts'
import type { Keys } from '../keys/index.ts'

const maxAgeSeconds = 300

/** Exactly these members (2.6): what else a key has, and be it the private one, does not pass the serialiser. */
const VerificationKey = Type.Object({
  alg: Type.Literal('ES256'),
  crv: Type.Literal('P-256'),
  key_ops: Type.Array(Type.Literal('verify')),
  kid: Type.String(),
  kty: Type.Literal('EC'),
  use: Type.Literal('sig'),
  x: Type.String(),
  y: Type.String(),
})

export const getVerificationKeys = ({ clock, keys, keySetRate }: { clock: Clock; keys: Keys; keySetRate: Rate }) => {
  const callers = createRateLimit(clock, keySetRate)
  return operation({
    method: 'GET',
    path: '/organizations/webhooks/verification-jwks',
    access: 'organization',
    tag: 'Webhooks',
    summary: 'Get the webhook verification key set',
    description:
      'The public keys of an organization, as a JSON Web Key Set without the envelope: the one that signs its webhooks ' +
      'now comes first, and the one that will sign next is among them. No API key is needed. Rate-limited for each ' +
      'organization and client address: keep the set, and ask again when a webhook names a `kid` that is not in it.',
    status: 200,
    result: Type.Object({ keys: Type.Array(VerificationKey) }),
    bare: { maxAgeSeconds },
    refusals: [429],
    handle: async ({ organizationId, caller }) => {
      callers.take(`${organizationId} ${callerAt(caller.clientAddress)}`)
      return { keys: await keys.publishedKeys(organizationId) }
    },
  })
}
