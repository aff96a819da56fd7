/**
 * Positions: the order in which events and audit entries are read, in which none is skipped that commits late.
 *
 * Owns: the sequence positions and the tables position_epochs and moved_positions; drawing a position, how far readers may read, cursors, also
 * those from a former cell of an organization or of a history that a restore has ended, and who holds readers back.
 * Leaves to the owner of each list its rows and what its retention has dropped.
 */

export { endOfNewest } from './await-end.ts'
export type { IsReached } from './cursors.ts'
export { describeHolder, findNoticeableHolder } from './holder.ts'
export {
  layOut,
  type MovedSegment,
  type PositionSegment,
  type PositionsOf,
  positionsNeeded,
  segmentsBehind,
} from './layout.ts'
export { insertMovedSegments, reservePositions } from './moved-segment-store.ts'
export { endHistoryAt, findEnd, isInEpoch, lockingPositions, nextPosition } from './position-store.ts'
export { createPositions, type Positions } from './positions.ts'
