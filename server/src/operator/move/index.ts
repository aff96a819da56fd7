/**
 * Moving an organization from one cell to another: out of the former one into a sealed file, into the next one, and only once the
 * former one has given it up for good it is served there, so that never two take writes.
 *
 * Owns: the file; the steps of a move, each of which may be killed and run again; with the only
 * statements that write rows of all slices as they were at the former cell. No routes: `organizations` marks one that moves, and answers for it.
 * Leaves to `positions` what cursors stand for, to `queue` the lanes, to `organizations` the purge, and to `start` the commands.
 */
export { type Cell, moveActions } from './cell.ts'
export { giveUpMoved } from './give-up.ts'
export { moveIn } from './move-in.ts'
export { moveOut, type Progress } from './move-out.ts'
export { startMoved } from './start.ts'
export { undoMove } from './undo.ts'
