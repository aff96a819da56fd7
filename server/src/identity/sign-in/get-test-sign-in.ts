import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { findByClientId, noSuchCredential } from '../credentials/index.ts'
import { TestPath, TestSignInRecord, toTestRecord } from './test-sign-in-record.ts'
import { findTest, takeClaims } from './test-sign-in-store.ts'

export const getTestSignIn = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'getTestSignIn',
    method: 'GET',
    path: '/organizations/sso/oidc/provider-credentials/:oauth_client_id/test/:id',
    scope: 'credentials:read',
    tag: 'SSO credentials',
    summary: 'Get a test of OIDC credentials for SSO',
    description:
      'The steps as far as the test has come. The first answer after its end to the key that made it also has the claims. All ' +
      'of it is removed fifteen minutes after the end.',
    params: TestPath,
    result: TestSignInRecord,
    handle: async ({ organizationId, principal, params: { oauth_client_id: clientId, id } }) => {
      const credential = await findByClientId(database.read, organizationId, clientId)
      if (!credential) throw noSuchCredential()
      const found = { credentialId: credential.id, now: toTimestamp(clock.now()) }
      const test = isUuid(id) ? await findTest(database.read, organizationId, id, found) : undefined
      if (!test || !principal) throw notFound('test')
      const claims = test.hasEnded ? await takeClaims(database.write, organizationId, test.id, principal.id) : undefined
      return toTestRecord(test, claims)
    },
  })
