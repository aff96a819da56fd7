/**
 * Processes: which ones of the installation live, where, and what they do, for its operator.
 *
 * Owns: /processes; the table processes; the sign of life by which a process stays listed.
 * Nothing else depends on it: by which workers know of each other's death is in `delivery`, with its table workers.
 */
import type { Operation } from '../http/operation.ts'
import { listProcesses } from './list-processes.ts'

export { keepListed } from './keep-listed.ts'

export const processesOperations = (dependencies: Parameters<typeof listProcesses>[0]): Operation[] => [
  listProcesses(dependencies),
]
