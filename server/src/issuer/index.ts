/**
 * The issuer: Signet as an OpenID Provider for an organization's applications, one issuer for each organization.
 *
 * Owns: everything below /oidc/{organization id}: discovery, key set, authorize, token, user info, revocation, logout;
 * /organizations/sso/oidc/signing-keys/rotate; the tables issuer_keys, issuer_interactions, issuer_sessions, issuer_grants and issuer_tokens. A grant is one sign-in at one
 * application: its claims are written once, and code and tokens live and end with it.
 * Leaves to `sign-in` who the person is. A request that needs that is kept as an interaction, and the browser sent where
 * `BeginSignIn` says, or to /sso/flows/{organization id}/{uid}; `findInteraction` reads the request, `saveResult` writes how
 * it ended within the transaction of the final event, and the browser is sent back to `returnTo`, where the result is used
 * once. Where the browser still has a session there is no interaction: `sign-in` is asked by `ContinueSession`, before
 * anything is answered.
 */
import type { Operation } from '../http/operation.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'

export { issuerOf } from './addresses.ts'
export type { Lifetimes } from './configuration.ts'
export {
  type AuthorizeParams,
  findInteraction,
  type Interaction,
  type Result,
  saveResult,
} from './interaction.ts'
export { createInteractionCookies, type InteractionCookies } from './interaction-cookie.ts'
export { createIssuers, type Issuers } from './issuers.ts'
export { endSessions } from './session-store.ts'
export type {
  Authentication,
  BeginSignIn,
  BegunSignIn,
  ContinueSession,
  Onward,
  SignIn,
  UsedSession,
} from './sign-in.ts'

export const issuerOperations = (dependencies: Parameters<typeof rotateSigningKeys>[0]): Operation[] => [
  rotateSigningKeys(dependencies),
]
