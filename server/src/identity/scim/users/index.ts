/**
 * Users: the persons whom a directory keeps, in the dialect of SCIM.
 *
 * POST, PUT and PATCH come to one: the resource as it is to be is read into what a user is, and stored. Whom a directory switches off is
 * signed out of everything in the same transaction.
 * Leaves to `directories` what a directory says of a person, and to `persons` who a person is; what stands above those is handed in.
 */
import type { ScimRoute } from '../http/scim-route.ts'
import { changeUserRoutes } from './change-user.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { getUser, listUsers } from './read-users.ts'

export type { AccountsOf } from './accounts.ts'

type Dependencies = Parameters<typeof createUser>[0] & Parameters<typeof deleteUser>[0]

export const userRoutes = (dependencies: Dependencies): ScimRoute[] => [
  createUser(dependencies),
  listUsers(dependencies),
  getUser(dependencies),
  ...changeUserRoutes(dependencies),
  deleteUser(dependencies),
]

/** What an entry of the audit log calls it where a user becomes a person who was there. */
export { adoptAction } from './create-user.ts'
