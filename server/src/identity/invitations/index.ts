/**
 * Invitations to the console: whoever opens one signs in, is made a person if unknown, and joins its group.
 *
 * Owns: /organizations/console-invitations; POST /console/invitation and /console/invitation/sign-in, which take no key but the token of
 * an invitation; the table console_invitations.
 * One that was used or deleted, or that has expired, keeps its row for days, so that whoever has its token is not taken for one who
 * guesses. All of a group go once the group is not named in `console_access` any more.
 * Leaves to `issuer` the sign-in to the console, which carries the id of an invitation from the browser in which it was opened; to `sign-in`
 * who that is, and the transaction in which that person joins; and to the console the page.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { createInvitation } from './create-invitation.ts'
import { deleteInvitation } from './delete-invitation.ts'
import { listInvitations } from './list-invitations.ts'

export { acceptAction, acceptInvitation } from './accept-invitation.ts'
export { isOpenInvitation, removeExpiredInvitations } from './invitation-store.ts'
export { serveInvitations } from './serve-invitations.ts'

export const invitationsOperations = (dependencies: Parameters<typeof createInvitation>[0]): Operation[] => [
  createInvitation(dependencies),
  listInvitations(dependencies),
  deleteInvitation(dependencies),
]
