/**
 * Directories: a customer's own directory, which keeps persons and groups of an organization by SCIM.
 *
 * Owns: /organizations/directories with their tokens, links, refusals and groups; the tables directories, directory_tokens,
 * directory_links, directory_refusals, directory_users and directory_groups.
 * Leaves to `scim` the protocol, and to `persons` who a person is.
 */
export type { Directory } from './directory-store.ts'
export { findKept } from './kept-group-store.ts'
