/**
 * Places: the order in which events and audit entries are read, in which none is skipped that commits late.
 *
 * Owns: the sequence places and the tables place_epochs and moved_places; drawing a place, how far readers may read, cursors, also
 * those from a former cell of an organization, and who holds readers back.
 * Leaves to the owner of each list its rows and what its retention has dropped.
 */
export { describeHolder, findNoticeableHolder } from './holder.ts'
export { layOut, type MovedPiece, type PlaceSegment, type PlacesOf, piecesOf, placesNeeded } from './layout.ts'
export { insertMovedPieces, reservePlaces } from './moved-place-store.ts'
export { endHistoryAt, findEnd, isInEpoch, nextPlace, placing } from './place-store.ts'
export { createPlaces, type Places } from './places.ts'
