/**
 * The history of sign-ins: those that ended, with the newest first.
 *
 * Owns: GET /organizations/sign-ins, and by which index each of its filters is answered. No tables: a sign-in is kept with its event.
 * Leaves to `sign-in` what is kept of one, to `events` the table, and to `feed` the order and the cursors.
 */
import type { Operation } from '../../../ground/http/chain/operation.ts'
import { listSignIns } from './list-sign-ins.ts'

export const historyOperations = (dependencies: Parameters<typeof listSignIns>[0]): Operation[] => [
  listSignIns(dependencies),
]
