/**
 * SCIM: the protocol by which a directory keeps users and groups (RFC 7643 and 7644), at /scim/{organization id}/v2.
 *
 * Owns: all that is below /scim/, none of which is an operation of the interface: the language (`schema` is the one table of attributes,
 * `filter` and `patch` read what clients write by it), the requests and answers (`http`), and what becomes of them.
 * Leaves to `directories` which token speaks for which directory and what it may say of a person, and to `persons` who a person is.
 */
export { groupRoutes } from './groups/index.ts'
export { scimErrorFor } from './http/error-answer.ts'
export type { ScimRoute } from './http/scim-route.ts'
export { serveScim } from './http/serve-scim.ts'
export { type AccountsOf, adoptAction, userRoutes } from './users/index.ts'
