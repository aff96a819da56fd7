import type { Publish } from '../../../delivery/events/index.ts'
import type { Database } from '../../../ground/database/database.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import type { OperatorGroup, WatchOwners } from '../../organizations/index.ts'

export type GroupDependencies = {
  database: Database
  clock: Clock
  publish: Publish
  watchOwners: WatchOwners
  /** A directory never makes the group that it names. */
  operatorGroup: OperatorGroup | undefined
}
