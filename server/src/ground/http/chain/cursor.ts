import { badRequest } from '../../errors.ts'

type Cursors = {
  /** For `meta.next`. */
  write(position: string): string
  /** The position that `after` stands for. Throws a 400 where it is not a cursor of this list. */
  read(after: string): string
}

/**
 * Opaque cursors of one kind of list. Each contains the name of its list, so that the cursor of another list is refused;
 * `isPosition` checks the rest.
 */
export function createCursors(list: string, isPosition: (text: string) => boolean): Cursors {
  const write = (position: string) => Buffer.from(`${list} ${position}`).toString('base64url')
  return {
    write,
    read: (after) => {
      const position = Buffer.from(after, 'base64url')
        .toString()
        .slice(list.length + 1)
      if (write(position) !== after || !isPosition(position))
        throw badRequest('invalid_value', `after: must be a cursor of ${list}`)
      return position
    },
  }
}
