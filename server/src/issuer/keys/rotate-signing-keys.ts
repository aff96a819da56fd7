import { Type } from 'typebox'
import { operation } from '../../http/operation.ts'
import { closed, named } from '../../http/schemas.ts'
import type { Issuers } from '../issuers.ts'

export const rotateSigningKeys = ({ issuers }: { issuers: Pick<Issuers, 'rotateKeys'> }) =>
  operation({
    id: 'rotateSigningKeys',
    method: 'POST',
    path: '/organizations/sso/oidc/signing-keys/rotate',
    access: 'key',
    tag: 'Applications',
    summary: 'Rotate the keys that ID tokens are signed with',
    description:
      "The next key of each algorithm in the issuer's key set signs from now on, and a new next one is added. The one that " +
      'signed before stays in the set for an hour, or as long as an ID token lives. After that it is known as long as a ' +
      'session lives, for `id_token_hint` alone. A key must have been published for 24 hours (unless the operator set ' +
      'another time) before it signs: sooner, the answer is 409. Keys are also rotated by themselves, every 90 days unless ' +
      'the operator set another time.\n\n' +
      'With `emergency`, the next keys sign however short they were published, and every key that signed before is worth ' +
      'nothing at once, not even for a hint: the answer comes after some 2 seconds, when no process uses them any more.',
    body: named(
      'SigningKeyRotation',
      closed({
        emergency: Type.Optional(
          Type.Boolean({ default: false, description: 'Whether the keys that sign now must not be trusted any more.' }),
        ),
      }),
    ),
    status: 202,
    refusals: [409],
    handle: ({ organizationId, body }) => issuers.rotateKeys(organizationId, body.emergency ?? false),
  })
