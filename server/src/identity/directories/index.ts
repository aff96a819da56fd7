/**
 * Directories: a customer's own directory, which keeps persons and groups of an organization by SCIM.
 *
 * Owns: /organizations/directories with their tokens, links, refusals and groups; the tables directories, directory_tokens,
 * directory_links, directory_refusals, directory_users and directory_groups.
 * Leaves to `scim` the protocol, and to `persons` who a person is.
 */
export type { Directory } from './directory-store.ts'
export {
  type DirectoryUser,
  directoryAt,
  directoryGroupsOf,
  directoryNameOf,
  emailKeyOf,
  externalIdToLock,
  findUser,
  insertUser,
  lockUserNames,
  pageOfUsers,
  removeUser,
  takenNames,
  updateUser,
  userNamesToLock,
  userWithExternalId,
  type WrittenUser,
} from './user-store.ts'
