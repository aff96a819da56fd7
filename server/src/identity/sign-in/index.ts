/**
 * Sign-in: from the request of an application, by way of an identity provider, to a person who is known.
 *
 * Owns: /sso/flows/{organization id}/{uid}, where a browser chooses a provider and is sent there, /sso/callback/{credential
 * id}, where it returns, /persons/{person_id}/identities and /persons/{person_id}/sessions; the tests of credentials at
 * /organizations/sso/oidc/provider-credentials/{oauth_client_id}/test, which begin at /sso/tests/{organization id}/{secret}; the tables
 * flows and test_sign_ins; what binds a sign-in to a browser, which person an identity is, and that each
 * sign-in that begins has exactly one final event.
 * Publishes AuthenticationSucceeded_v1, AuthenticationFailed_v1, and PersonCreated_v1 for a first sign-in.
 * Leaves to `providers` what a provider says, to `hooks` what receivers say, to `issuer` the application's request before
 * and its tokens after, and to `persons` everything else about a person.
 *
 * The states of a flow, the row of a sign-in:
 *
 *             chosen on the page       callback        final event
 *     stored ────────────────────▶ begun ───▶ consumed ───────────▶ ended ──▶ removed
 *       │ │                          │           ▲                    ▲
 *       │ └──────── callback ────────┼───────────┘                    │
 *       │                            └── cancelled, failed, expired ──┘
 *       └── expired: removed and counted as abandoned, without an event
 *
 * A consumed flow that expires, because its process died, is ended by `end-stalled-flows.ts` as well (flow_expired).
 *
 * A test of a credential has a flow without an interaction, from when its link is opened. It is consumed in the same way, and then
 * ends in `end-test.ts`, which writes what each step came to and nothing else.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { addPersonIdentity } from './add-person-identity.ts'
import { createTestSignIn } from './create-test-sign-in.ts'
import { deletePersonIdentity } from './delete-person-identity.ts'
import { endPersonSession, endPersonSessions } from './end-person-sessions.ts'
import { getTestSignIn } from './get-test-sign-in.ts'
import { listPersonIdentities } from './list-person-identities.ts'
import { listPersonSessions } from './list-person-sessions.ts'

export { createContinueSession } from './continue-session.ts'
export type { Dependencies as SignInDependencies } from './dependencies.ts'
export { endStalledFlows } from './end-stalled-flows.ts'
export { type Failpoint, failpoints, type OnFailpoint } from './failpoints.ts'
export { createBeginSignIn } from './open-flow.ts'
export { hasOwner, isOwner } from './owner-store.ts'
export { findPastRequest } from './past-request.ts'
export { serveSignIn } from './routes.ts'
export { removeExpiredTests } from './test-sign-in-store.ts'

type Dependencies = Parameters<typeof createTestSignIn>[0] &
  Parameters<typeof addPersonIdentity>[0] &
  Parameters<typeof deletePersonIdentity>[0]

export const signInOperations = (dependencies: Dependencies): Operation[] => [
  listPersonIdentities(dependencies),
  addPersonIdentity(dependencies),
  deletePersonIdentity(dependencies),
  listPersonSessions(dependencies),
  endPersonSessions(dependencies),
  endPersonSession(dependencies),
  createTestSignIn(dependencies),
  getTestSignIn(dependencies),
]
