import { badRequest } from '../errors.ts'

type Cursors = {
  /** For `meta.next`. */
  write(place: string): string
  /** The place that `after` names. What is not a cursor of this list: 400. */
  read(after: string): string
}

/**
 * Places in one kind of list as callers carry them from page to page: opaque, with the name of the list, so that only what
 * was given out for it is taken back. `isPlace` judges the rest.
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
