/**
 * How the places of an organization go on in the next cell, whose sequence has other numbers: the rows of each epoch keep their
 * distances, and the epochs follow each other with a free place between them, for cursors from before the first row.
 */

/** The organization's rows of one epoch lie from `low` to `high`. `through`: the last place that a cursor of the epoch may name. */
export type PlaceSegment = { key: string; through: number; low: number; high: number }

/** A segment whose rows were moved by `shift`. Places outside of it stand for its ends. */
export type MovedPiece = PlaceSegment & { shift: number }

/** `segments`: of the epochs of the cell, oldest first. `pieces`: what cursors of earlier ones stand for in it. */
export type PlacesOf = { segments: PlaceSegment[]; pieces: MovedPiece[] }

export const placesNeeded = (segments: PlaceSegment[]): number =>
  segments.reduce((sum, { low, high }) => sum + high - low + 2, 0)

/** Lays the segments one after the other, from the place `first` on. */
export function layOut(segments: PlaceSegment[], first: number): MovedPiece[] {
  let next = first + 1
  return segments.map((segment) => {
    const shift = next - segment.low
    next = segment.high + shift + 2
    return { ...segment, shift }
  })
}

/**
 * What all cursors stand for where the segments were moved to: those of this cell, and those of earlier ones, which are moved
 * twice. An organization may have come back: then an earlier piece knows better what its cursors stood for.
 */
export function piecesOf(moved: MovedPiece[], earlier: MovedPiece[]): MovedPiece[] {
  const all = [...moved, ...earlier.map((piece) => movedOn(piece, moved))]
  return [...new Map(all.map((piece) => [`${piece.key} ${piece.through}`, piece])).values()]
}

/** An earlier piece, limited to the segment that now holds its rows, and moved with it. */
function movedOn({ low, high, shift, ...piece }: MovedPiece, moved: MovedPiece[]): MovedPiece {
  const segment = moved.findLast((each) => each.low <= high + shift) ?? (moved[0] as MovedPiece)
  const within = (place: number) => Math.min(Math.max(place + shift, segment.low - 1), segment.high) - shift
  return { ...piece, low: within(low - 1) + 1, high: within(high), shift: shift + segment.shift }
}
