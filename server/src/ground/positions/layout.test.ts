import { expect, test } from 'vitest'
import { layOut, type MovedSegment, type PositionSegment, positionsNeeded, segmentsBehind } from './layout.ts'

/** What a cursor stands for, as the statement of the store finds it; undefined: it is none of a former cell. */
function resolve(moved: MovedSegment[], key: string, position: number): number | undefined {
  const segment = moved
    .filter((each) => each.key === key && each.through >= position)
    .sort((a, b) => a.through - b.through)[0]
  return segment && Math.max(Math.min(position, segment.high), segment.low - 1) + segment.shift
}

let seed = 34
const random = (below: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return Math.floor((seed / 2 ** 31) * below)
}

/** A cell: its epochs begin at multiples of this. */
const epochPositions = 1_000
/** `rows`: the positions of the organization's rows, oldest first. Their position is what they are known by. */
type Stay = { name: string; epochs: number[]; last: number; rows: number[]; moved: MovedSegment[] }

const keyAt = ({ name, epochs }: Stay, position: number) => `${name} ${epochs.findLast((first) => first <= position)}`

function segmentsOf({ name, epochs, last, rows }: Stay): PositionSegment[] {
  return epochs.map((first, index) => {
    const through = (epochs[index + 1] ?? last + 1) - 1
    const own = rows.filter((position) => position >= first && position <= through)
    return { key: `${name} ${first}`, through, low: own.at(0) ?? first, high: own.at(-1) ?? first }
  })
}

/** Some rows, between those of others, over some epochs. */
function write(stay: Stay) {
  for (let steps = random(4); steps >= 0; steps--) {
    if (random(3) === 0) {
      stay.last = (Math.floor(stay.last / epochPositions) + 1) * epochPositions
      stay.epochs.push(stay.last)
    }
    for (let count = random(4); count > 0; count--) {
      stay.last += 1 + random(5)
      stay.rows.push(stay.last)
    }
  }
}

/** To a cell that the organization was at before, or a new one. */
function move(from: Stay, to: Stay) {
  const segments = segmentsOf(from)
  const moved = layOut(segments, to.last + 1)
  to.last += positionsNeeded(segments)
  to.moved = segmentsBehind(moved, from.moved)
  to.rows = from.rows.map((position) => {
    const { shift } = moved.find(({ low, high }) => low <= position && position <= high) as MovedSegment
    return position + shift
  })
  write(to)
}

const newStay = (name: string): Stay => {
  const first = epochPositions * (1 + random(3))
  return { name, epochs: [first], last: first + random(50), rows: [], moved: [] }
}

test('A cursor of any stay stands before the same rows after any number of moves, also back', () => {
  for (let round = 0; round < 100; round++) {
    const stays = ['a', 'b', 'c'].map(newStay)
    let at = stays[0] as Stay
    write(at)
    const cursors: { key: string; position: number; behind: number }[] = []
    for (let moves = 0; moves < 4; moves++) {
      for (const [index, position] of at.rows.entries())
        cursors.push({ key: keyAt(at, position), position, behind: index + 1 })
      const next = stays.filter((stay) => stay !== at)[random(2)] as Stay
      // Of a former stay only the cell's own epochs are left.
      Object.assign(next, { rows: [], moved: [] })
      move(at, next)
      at = next
      expect(at.rows).toEqual([...at.rows].sort((a, b) => a - b))
      for (const { key, position, behind } of cursors) {
        const found = resolve(at.moved, key, position) ?? (key.startsWith(at.name) ? position : Number.NaN)
        expect([round, key, position, at.rows.filter((row) => row <= found).length]).toEqual([
          round,
          key,
          position,
          behind,
        ])
      }
    }
  }
})
