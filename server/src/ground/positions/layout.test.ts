import { expect, test } from 'vitest'
import { layOut, type MovedPiece, type PlaceSegment, piecesOf, placesNeeded } from './layout.ts'

/** What a cursor stands for, as the statement of the store finds it; undefined: it is none of a former cell. */
function resolve(pieces: MovedPiece[], key: string, place: number): number | undefined {
  const piece = pieces
    .filter((each) => each.key === key && each.through >= place)
    .sort((a, b) => a.through - b.through)[0]
  return piece && Math.max(Math.min(place, piece.high), piece.low - 1) + piece.shift
}

let seed = 34
const random = (below: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return Math.floor((seed / 2 ** 31) * below)
}

/** A cell: its epochs begin at multiples of this. */
const epochPlaces = 1_000
/** `rows`: the places of the organization's rows, oldest first. Their position is what they are known by. */
type Stay = { name: string; epochs: number[]; last: number; rows: number[]; pieces: MovedPiece[] }

const keyAt = ({ name, epochs }: Stay, place: number) => `${name} ${epochs.findLast((first) => first <= place)}`

function segmentsOf({ name, epochs, last, rows }: Stay): PlaceSegment[] {
  return epochs.map((first, index) => {
    const through = (epochs[index + 1] ?? last + 1) - 1
    const own = rows.filter((place) => place >= first && place <= through)
    return { key: `${name} ${first}`, through, low: own.at(0) ?? first, high: own.at(-1) ?? first }
  })
}

/** Some rows, between those of others, over some epochs. */
function write(stay: Stay) {
  for (let steps = random(4); steps >= 0; steps--) {
    if (random(3) === 0) {
      stay.last = (Math.floor(stay.last / epochPlaces) + 1) * epochPlaces
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
  to.last += placesNeeded(segments)
  to.pieces = piecesOf(moved, from.pieces)
  to.rows = from.rows.map((place) => {
    const { shift } = moved.find(({ low, high }) => low <= place && place <= high) as MovedPiece
    return place + shift
  })
  write(to)
}

const newStay = (name: string): Stay => {
  const first = epochPlaces * (1 + random(3))
  return { name, epochs: [first], last: first + random(50), rows: [], pieces: [] }
}

test('A cursor of any stay stands before the same rows after any number of moves, also back', () => {
  for (let round = 0; round < 100; round++) {
    const stays = ['a', 'b', 'c'].map(newStay)
    let at = stays[0] as Stay
    write(at)
    const cursors: { key: string; place: number; behind: number }[] = []
    for (let moves = 0; moves < 4; moves++) {
      for (const [index, place] of at.rows.entries()) cursors.push({ key: keyAt(at, place), place, behind: index + 1 })
      const next = stays.filter((stay) => stay !== at)[random(2)] as Stay
      // Of a former stay only the cell's own epochs are left.
      Object.assign(next, { rows: [], pieces: [] })
      move(at, next)
      at = next
      expect(at.rows).toEqual([...at.rows].sort((a, b) => a - b))
      for (const { key, place, behind } of cursors) {
        const found = resolve(at.pieces, key, place) ?? (key.startsWith(at.name) ? place : Number.NaN)
        expect([round, key, place, at.rows.filter((row) => row <= found).length]).toEqual([round, key, place, behind])
      }
    }
  }
})
