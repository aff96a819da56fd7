/**
 * Processes: which ones of the installation live, where, and what they do, for its operator.
 *
 * Owns: /processes; the table processes; the sign of life by which a process stays listed.
 * A copy refuses a target on which one lives; nothing else depends on it. How workers learn of each other's death is in `queue`, with
 * its table workers.
 */
import type { Operation } from '../../../ground/http/chain/operation.ts'
import { listProcesses } from './list-processes.ts'

export { keepListed } from './keep-listed.ts'
export { requireNoneAlive } from './require-none-alive.ts'

export const processesOperations = (dependencies: Parameters<typeof listProcesses>[0]): Operation[] => [
  listProcesses(dependencies),
]
