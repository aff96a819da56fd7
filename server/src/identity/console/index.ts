/**
 * The console: the session of a browser that is signed in with a key or as a person, and the pages that it is served.
 *
 * Owns: /console and what is below it, but for /console/invitation; /organizations/console-sessions; the table console_sessions; when
 * a cookie stands for a key, a person or the operator.
 * Leaves to `http` the check of each request and what a role may do, to `organizations` what a key may do and which groups have which
 * role, to `issuer` the sign-in of a person, to `limits` how often keys may be tried, and to the interface whatever a form sends: the
 * console calls the same operations as every other client.
 *
 * Its other routes are no operations: they take and give a cookie, which only a browser on Signet's own page can use, so they are in
 * neither the OpenAPI document nor the clients that are generated from it.
 */
import type { FastifyInstance } from 'fastify'
import type { Operation } from '../../ground/http/chain/operation.ts'
import { endConsoleSession } from './end-session-of-organization.ts'
import { listConsoleSessions } from './list-sessions-of-organization.ts'
import { type PageRoutes, servePages } from './serve-pages.ts'
import { type SessionRoutes, serveSession } from './serve-session.ts'
import { type SignInRoutes, serveConsoleSignIn } from './serve-sign-in.ts'

export { createBuiltConsole } from './built-console.ts'
export { sessionActions } from './serve-session.ts'
export { removeEndedSessions } from './session-store.ts'
export { createSessions } from './sessions.ts'

/** For administrators: who is signed in. */
export const consoleOperations = (dependencies: Parameters<typeof listConsoleSessions>[0]): Operation[] => [
  listConsoleSessions(dependencies),
  endConsoleSession(dependencies),
]

export function serveConsole(app: FastifyInstance, dependencies: SessionRoutes & SignInRoutes & PageRoutes) {
  serveSession(app, dependencies)
  serveConsoleSignIn(app, dependencies)
  servePages(app, dependencies)
}
