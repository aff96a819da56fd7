/** Characters: a longer text is no slip of a name of ours. It bounds the work too. */
const maxLength = 40
/** With hyphens, underscores and blanks: a body may have a megabyte of them, which would be looked through for each of our names. */
const maxWritten = 2 * maxLength

/**
 * The one of `names` that was probably meant by `text`; undefined where none is near, or several are as near. Capitals, hyphens and
 * underscores do not count.
 */
export function nearest(text: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Infinity
  for (const name of names) {
    const slips = slipsBetween(text, name)
    if (slips > least) continue
    best = slips < least ? name : undefined
    least = slips
  }
  return best
}

/** How many letters are missing, added, wrong or exchanged with the next one; `Infinity` where it is no slip. */
export function slipsBetween(text: string, name: string): number {
  if (text.length > maxWritten) return Infinity
  const [one, other] = [plain(text), plain(name)]
  const allowed = slipsAllowed(text)
  if (one === other) return 0
  if (Math.max(one.length, other.length) > maxLength || Math.abs(one.length - other.length) > allowed) return Infinity
  const slips = distance(one, other)
  return slips <= allowed ? slips : Infinity
}

const slipsAllowed = ({ length }: string) => Math.min(3, Math.floor(length / 3))

const plain = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '')

/** Optimal string alignment, by rows. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const replaced = at(above, column - 1) + (isSame ? 0 : 1)
      const exchanged = isExchanged ? at(before, column - 2) + 1 : Infinity
      current.push(Math.min(at(above, column) + 1, at(current, column - 1) + 1, replaced, exchanged))
    }
    before = above
    above = current
  }
  return at(above, other.length)
}

const at = (row: number[], column: number) => row[column] ?? Infinity
