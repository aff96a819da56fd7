/**
 * Sign-in: from the request of an application, by way of an identity provider, to a person who is known.
 *
 * Owns: /sso/flows/{organization id}/{uid}, where a browser chooses a provider and is sent there, /sso/callback/{credential
 * id}, where it comes back, and /persons/{person_id}/identities; the tables flows and identities; what binds a sign-in to a
 * browser, which person an identity is, and that each sign-in that begins has exactly one final event.
 * Publishes AuthenticationSucceeded_v1, AuthenticationFailed_v1, and PersonCreated_v1 for a first sign-in.
 * Leaves to `providers` what a provider says, to `hooks` what receivers say, to `issuer` the application's request before
 * and its tokens after, and to `persons` everything else about a person.
 */
import type { Operation } from '../http/operation.ts'
import { deletePersonIdentity } from './delete-person-identity.ts'
import { listPersonIdentities } from './list-person-identities.ts'

export { createContinueSession } from './continue-session.ts'
export type { Dependencies as SignInDependencies } from './dependencies.ts'
export { endStalledFlows } from './end-stalled-flows.ts'
export { createBeginSignIn } from './open-flow.ts'
export { serveSignIn } from './routes.ts'
export { type OnFailpoint, type Step, steps } from './steps.ts'

export const signInOperations = (dependencies: Parameters<typeof listPersonIdentities>[0]): Operation[] => [
  listPersonIdentities(dependencies),
  deletePersonIdentity(dependencies),
]
