import { Type } from 'typebox'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, named } from '../../ground/http/chain/schemas.ts'
import type { Keys } from '../../ground/keys/index.ts'

export const rotateVerificationKeys = ({ keys }: { keys: Keys }) =>
  operation({
    id: 'rotateVerificationKeys',
    method: 'POST',
    path: '/organizations/webhooks/verification-keys/rotate',
    scope: 'webhooks:write',
    adminOnly: true,
    tag: 'Webhooks',
    summary: 'Rotate the webhook verification keys',
    description:
      'The next key of the set signs from now on, and a new next key is added to the set. The key that signed before ' +
      'stays in the set for an hour. A key must have been published for 24 hours (unless the operator set another ' +
      'time) before it signs: sooner, the response is 409. Keys are also rotated by themselves, every 90 days unless the ' +
      'operator set another time.\n\n' +
      'With `emergency`, the next key signs however short it was published, and every key that signed before leaves ' +
      'the set at once: the response comes after some 5 seconds, when nothing is signed with them any more. Receivers ' +
      'that keep the set refuse them once they fetch it again, within 5 minutes if they keep it as long as the response ' +
      'says.',
    body: named(
      'VerificationKeyRotation',
      closed({
        emergency: Type.Optional(
          Type.Boolean({ default: false, description: 'Whether the key that signs now must not be trusted any more.' }),
        ),
      }),
    ),
    status: 202,
    refusals: [409],
    handle: async ({ organizationId, record, requireRecentSignIn, body: { emergency = false } }) => {
      if (emergency) requireRecentSignIn()
      const rotate = emergency ? keys.rotateInEmergency : keys.rotate
      return rotate(organizationId, (tx, { former, current }) =>
        record(tx, organizationId, {
          target: { type: 'verification_keys', id: organizationId },
          before: { kid: former[0] },
          after: { kid: current[0], emergency },
        }),
      )
    },
  })
