/**
 * Notices: what of an organization needs somebody's attention now.
 *
 * Owns: GET /organizations/notices; which things are worth a notice, when, and who is told of which. No table: notices are computed
 * when they are read.
 * Leaves to the owner of each thing to find it: `statistics` webhooks and hooks, `organizations` keys, `applications` secrets, `credentials`
 * those that wait, and `directories` tokens; to the audit log how many persons were adopted; to that of each quota to count what is used. The limits of the tier are handed in.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { listNotices } from './list-notices.ts'

export const noticesOperations = (dependencies: Parameters<typeof listNotices>[0]): Operation[] => [
  listNotices(dependencies),
]
