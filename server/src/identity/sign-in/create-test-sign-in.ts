import type { Database } from '../../ground/database/database.ts'
import { tooManyRequests } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { Rate } from '../../ground/http/socket/rate-limit.ts'
import { takeAllowance } from '../../ground/limits/index.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import { CredentialPath, type Credentials, findByClientId, noSuchCredential } from '../credentials/index.ts'
import { testMs } from './end-test.ts'
import { makeSecret } from './flow-secret.ts'
import { NewTestSignIn } from './test-sign-in-record.ts'
import { insertTest } from './test-sign-in-store.ts'
import { pendingSteps } from './test-steps.ts'

type Dependencies = { database: Database; clock: Clock; baseUrl: string; credentials: Credentials; allowance: Rate }

export const createTestSignIn = ({ database, clock, baseUrl, credentials, allowance }: Dependencies) =>
  operation({
    id: 'createTestSignIn',
    method: 'POST',
    path: '/organizations/sso/oidc/provider-credentials/:oauth_client_id/test',
    scope: 'credentials:write',
    adminOnly: true,
    tag: 'SSO credentials',
    summary: 'Test OIDC credentials for SSO',
    description:
      'Open `url` in a browser within fifteen minutes, sign in at the provider, and get the test: it says which step failed ' +
      'and which field to mend. Nobody is signed in by it: there is no person, session, code, hook or event. A test is taken ' +
      'from the allowance of test events.',
    params: CredentialPath,
    status: 201,
    result: NewTestSignIn,
    confidentialOf: 'id',
    refusals: [429],
    handle: async ({ organizationId, principal, record, params: { oauth_client_id: clientId } }) => {
      const stored = await findByClientId(database.read, organizationId, clientId)
      const credential = stored && (await credentials.findToTest(organizationId, stored.id))
      if (!credential || !principal) throw noSuchCredential()
      const now = clock.now()
      const taken = { of: 'testEvents', rate: allowance, count: 1, now: toTimestamp(now) } as const
      const wait = await takeAllowance(database, organizationId, taken)
      if (wait !== undefined) throw tooManyRequests(wait)
      const [id, secret, expiresAt] = [makeId(now), makeSecret(), toTimestamp(now + testMs)]
      await database.transaction(async (tx) => {
        await insertTest(tx, organizationId, {
          id,
          keyId: principal.id,
          credentialId: credential.id,
          expiresAt,
          linkHash: hashOf(secret),
          steps: pendingSteps(credential),
        })
        const target = { type: 'oidc_credential' as const, id: clientId }
        await record(tx, organizationId, { target, after: { test: { id, expires_at: expiresAt } } })
      })
      return { id, url: `${baseUrl}/sso/tests/${organizationId}/${secret}` }
    },
  })
