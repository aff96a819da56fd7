import { Type } from 'typebox'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, named } from '../../../ground/http/chain/schemas.ts'
import type { Issuers } from '../issuers.ts'

export const rotateSigningKeys = ({ issuers }: { issuers: Pick<Issuers, 'rotateKeys'> }) =>
  operation({
    id: 'rotateSigningKeys',
    method: 'POST',
    path: '/organizations/sso/oidc/signing-keys/rotate',
    scope: 'applications:write',
    adminOnly: true,
    tag: 'Applications',
    summary: 'Rotate the keys that ID tokens are signed with',
    description:
      "The next key of each algorithm in the issuer's key set signs from now on, and a new next key is added. The key that " +
      'signed before stays in the set for an hour, or as long as an ID token lives. After that it verifies `id_token_hint` ' +
      'only, as long as a session lives. A key must have been published for 24 hours before it signs, otherwise the reply is ' +
      '409. Keys are also rotated automatically, every 90 days. The operator can change both times.\n\n' +
      'With `emergency`, the next keys sign however recently they were published, and no earlier key verifies anything any ' +
      'more, not even a hint. The reply comes after some 2 seconds, when no process uses the earlier keys.',
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
    handle: async ({ organizationId, record, requireRecentSignIn, body: { emergency = false } }) => {
      if (emergency) requireRecentSignIn()
      return issuers.rotateKeys(organizationId, emergency, (tx, { former, current }) =>
        record(tx, organizationId, {
          target: { type: 'signing_keys', id: organizationId },
          before: { kids: former },
          after: { kids: current, emergency },
        }),
      )
    },
  })
