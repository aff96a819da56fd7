/**
 * The issuer: Signet as an OpenID Provider for an organization's applications, one issuer for each organization.
 *
 * Owns: everything below /oidc/{organization id}: discovery, key set, authorize, token, user info, revocation, introspection, logout;
 * the same discovery at /.well-known/oauth-authorization-server;
 * /organizations/sso/oidc/signing-keys/rotate; the client of the console (`console-client/`), whose codes the service takes itself;
 * the tables issuer_interactions, console_sign_ins, issuer_sessions, issuer_grants, issuer_tokens and ended_credentials; that whatever ends a session before its time tells its applications, in the same transaction.
 * A session is the sign-in of a browser. A grant is one sign-in at one application: its claims are written once, and its code and tokens
 * end with it.
 * Leaves to `resources` for which APIs there are access tokens, to `logouts` and `queue` the logout tokens, and to `sign-in` who the person
 * is. An authorize request whose person has to sign in is stored as an interaction, and the
 * browser sent where `BeginSignIn` says, or to /sso/flows/{organization id}/{uid}. `findInteraction` reads the request,
 * `saveSignIn` and `saveError` write how the sign-in ended in the transaction of its final event, and the browser returns to `returnTo`,
 * where the result is used once. Where the browser has a session there is no interaction: `ContinueSession` asks `sign-in`
 * before a code is issued.
 *
 * `contract.ts` has the types that `sign-in` and the stores share; `keys/` the signing keys, whose table
 * and rotation are those of `ground/keys/`; `library/` is all code that knows
 * `oidc-provider`, which implements the protocol.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { rotateSigningKeys } from './keys/rotate-signing-keys.ts'

export { issuerOf } from './addresses.ts'
export {
  beginConsoleSignIn,
  type ConsoleEntry,
  type ConsoleEntryDependencies,
} from './console-client/begin-console-sign-in.ts'
export {
  consoleClientId,
  consoleOriginOf,
  consolePathOf,
  isStoredOfConsole,
  toStoredClientId,
} from './console-client/console-client.ts'
export type { ConsolePerson } from './console-client/console-code-store.ts'
export { dropConsoleCookie } from './console-client/console-cookie.ts'
export {
  readConsoleReturn,
  takeConsoleReturn,
} from './console-client/take-console-code.ts'
export type {
  Authentication,
  AuthorizeParams,
  BeginSignIn,
  BegunSignIn,
  Browser,
  ContinueSession,
  Interaction,
  Lifetimes,
  Redirect,
  Result,
  SignIn,
  UsedSession,
} from './contract.ts'
export { createEndSessions, type EndSessions } from './end-sessions.ts'
export { markCredentialEnded, sessionHasEnded } from './ended-credential-store.ts'
export { createInteractionCookies, type InteractionCookies } from './interaction-cookie.ts'
export { findInteraction, saveError, saveSignIn } from './interaction-store.ts'
export { createIssuers, type Issuers } from './issuers.ts'
export { createLoadLogoutTargets } from './keys/logout-targets.ts'
export { flowPrefix, openRequestsOf } from './open-requests.ts'
export { hasSession } from './session-cookie.ts'

export const issuerOperations = (dependencies: Parameters<typeof rotateSigningKeys>[0]): Operation[] => [
  rotateSigningKeys(dependencies),
]
