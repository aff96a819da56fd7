/**
 * How the positions of an organization go on in the next cell, whose sequence has other numbers: the rows of each epoch keep their
 * distances, and the epochs follow each other with a free position between them, for cursors from before the first row.
 */

/** The organization's rows of one epoch lie from `low` to `high`. `through`: the last position that a cursor of the epoch may name. */
export type PositionSegment = { key: string; through: number; low: number; high: number }

/** A segment whose rows were moved by `shift`. Positions outside of it stand for its ends. */
export type MovedSegment = PositionSegment & { shift: number }

/** `segments`: of the epochs of the cell, oldest first. `earlier`: what cursors of earlier ones stand for in it. */
export type PositionsOf = { segments: PositionSegment[]; earlier: MovedSegment[] }

export const positionsNeeded = (segments: PositionSegment[]): number =>
  segments.reduce((sum, { low, high }) => sum + high - low + 2, 0)

/** Lays the segments one after the other, from the position `first` on. */
export function layOut(segments: PositionSegment[], first: number): MovedSegment[] {
  let next = first + 1
  return segments.map((segment) => {
    const shift = next - segment.low
    next = segment.high + shift + 2
    return { ...segment, shift }
  })
}

/**
 * What all cursors stand for where the segments were moved to: those of this cell, and those of earlier ones, which are moved
 * twice. An organization may have come back: then an earlier segment knows better what its cursors stood for.
 */
export function segmentsBehind(moved: MovedSegment[], earlier: MovedSegment[]): MovedSegment[] {
  const all = [...moved, ...earlier.map((segment) => movedOn(segment, moved))]
  return [...new Map(all.map((segment) => [`${segment.key} ${segment.through}`, segment])).values()]
}

/** An earlier segment, limited to the segment that now holds its rows, and moved with it. */
function movedOn({ low, high, shift, ...ends }: MovedSegment, moved: MovedSegment[]): MovedSegment {
  const segment = moved.findLast((each) => each.low <= high + shift) ?? (moved[0] as MovedSegment)
  const within = (position: number) => Math.min(Math.max(position + shift, segment.low - 1), segment.high) - shift
  return { ...ends, low: within(low - 1) + 1, high: within(high), shift: shift + segment.shift }
}
