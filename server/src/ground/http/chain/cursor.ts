import { badRequest } from '../../errors.ts'

type Cursors = {
  /** For `meta.next`. */
  write(place: string): string
  /** The place that `after` stands for. Throws a 400 where it is not a cursor of this list. */
  read(after: string): string
}

/**
 * Opaque cursors of one kind of list. Each contains the name of its list, so that the cursor of another list is refused;
 * `isPlace` checks the rest.
 */
export function createCursors(list: string, isPlace: (text: string) => boolean): Cursors {
  const write = (place: string) => Buffer.from(`${list} ${place}`).toString('base64url')
  return {
    write,
    read: (after) => {
      const place = Buffer.from(after, 'base64url')
        .toString()
        .slice(list.length + 1)
      if (write(place) !== after || !isPlace(place)) throw badRequest(`after: must be a cursor of ${list}`)
      return place
    },
  }
}
