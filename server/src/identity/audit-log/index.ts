/**
 * The audit log: who changed what through the management interface, and what it was before.
 *
 * Owns: /organizations/audit-log; the table audit_entries; and what of a change an entry conceals.
 * The recorder is handed to every operation by `http`, as `record`: the operation calls it in the transaction of its change.
 * Leaves to each operation what it changed, to `positions` the order of entries, to `organizations` their end with the organization.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { listAuditEntries } from './list-audit-entries.ts'

export { countActs } from './entry-store.ts'
export { createRecorder } from './recorder.ts'

export const auditLogOperations = (dependencies: Parameters<typeof listAuditEntries>[0]): Operation[] => [
  listAuditEntries(dependencies),
]
