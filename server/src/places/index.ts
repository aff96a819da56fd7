/**
 * Places: the order in which events and audit entries are read, in which none is skipped that commits late.
 *
 * Owns: the sequence places and the table place_epochs; drawing a place, how far readers may read, cursors, and who holds
 * readers back.
 * Leaves to the owner of each list its rows and what its retention has dropped.
 */
export { describeHolder, findNoticeableHolder } from './holder.ts'
export { endHistoryAt, findEnd, isInEpoch, nextPlace, placing } from './place-store.ts'
export { createPlaces, type Places } from './places.ts'
