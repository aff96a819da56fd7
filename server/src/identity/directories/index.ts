/**
 * Directories: a customer's own directory, which keeps persons and groups of an organization by SCIM.
 *
 * Owns: /organizations/directories and what is below it; POST /console/directory-link and /console/directory-link/token, which take no
 * key but the token of a link; the tables directories, directory_tokens, directory_links, directory_refusals, directory_users and
 * directory_groups; what a directory is trusted with, which token speaks for it, and what becomes of its people and groups without it.
 * Leaves to `scim` the protocol, which writes the users and groups, to `persons` who a person is, and to `credentials` where people sign in.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { changeDirectory } from './change-directory.ts'
import { createDirectory } from './create-directory.ts'
import { deleteDirectory } from './delete-directory.ts'
import { getDirectory } from './get-directory.ts'
import { listDirectoryGroups } from './groups/list-groups.ts'
import { tieDirectoryGroup } from './groups/tie-group.ts'
import { directoryLinksOperations } from './links/index.ts'
import { listDirectories } from './list-directories.ts'
import { listRefusals } from './refusals/list-refusals.ts'
import { createToken } from './tokens/create-token.ts'
import { listTokens } from './tokens/list-tokens.ts'
import { revokeToken } from './tokens/revoke-token.ts'

export { scimUrlOf } from './directory-record.ts'
export {
  type Directory,
  holdDirectory,
  namesOfDirectories,
  searchDirectories,
} from './directory-store.ts'
export {
  type DirectoryGroup,
  directoryGroupColumns,
  findKept,
  groupsKeptBy,
  insertDirectoryGroup,
  isDisplayNameTaken,
  leaveDirectoryGroups,
  lockDirectoryGroup,
  removeDirectoryGroup,
  updateDirectoryGroup,
  type WrittenGroup,
} from './groups/group-store.ts'
export { removeExpiredDirectoryLinks } from './links/index.ts'
export { recordRefusal } from './refusals/refusal-store.ts'
export { removeCredentialFromDirectory } from './remove-credential.ts'
export { type AuthenticateDirectory, createDirectoryAuthentication } from './tokens/authentication.ts'
export { findExpiringTokens } from './tokens/token-store.ts'
export {
  type DirectoryUser,
  directoryAt,
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
  usersAmong,
  userWithExternalId,
  type WrittenUser,
} from './user-store.ts'

type Dependencies = Parameters<typeof createDirectory>[0] &
  Parameters<typeof deleteDirectory>[0] &
  Parameters<typeof createToken>[0] &
  Parameters<typeof tieDirectoryGroup>[0] &
  Parameters<typeof directoryLinksOperations>[0]

export const directoriesOperations = (dependencies: Dependencies): Operation[] => [
  createDirectory(dependencies),
  listDirectories(dependencies),
  getDirectory(dependencies),
  changeDirectory(dependencies),
  deleteDirectory(dependencies),
  createToken(dependencies),
  listTokens(dependencies),
  revokeToken(dependencies),
  listRefusals(dependencies),
  listDirectoryGroups(dependencies),
  tieDirectoryGroup(dependencies),
  ...directoryLinksOperations(dependencies),
]
