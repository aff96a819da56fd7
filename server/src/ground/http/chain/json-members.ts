const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [open, close, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d]
const maxShown = 100
/** Deeper nesting is refused by `refuseUnstorableText`. */
const maxDepth = 32

/**
 * Finds a name that an object of this JSON text has twice: readers differ in which value they take (RFC 8259, 4). Invalid
 * JSON is left to the parser. 1 MiB takes some 10 ms.
 */
export function memberGivenTwice(text: Buffer): string | undefined {
  // For each object or list around this position: the names of the object so far; undefined for a list.
  const around: (Set<string> | undefined)[] = []
  let isName = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (byte === quote) {
      const end = endOfString(text, at)
      const names = around.at(-1)
      if (isName && names) {
        const name = nameIn(text.toString('utf8', at, end))
        if (names.has(name)) return name.slice(0, maxShown).toWellFormed()
        names.add(name)
      }
      isName = false
      at = end - 1
    } else if (byte === open || byte === openList)
      around.push(byte === open && around.length < maxDepth ? new Set() : undefined)
    else if (byte === close || byte === closeList) around.pop()
    if (byte === open || byte === comma) isName = true
  }
  return undefined
}

/** The position after its closing quote. */
function endOfString(text: Buffer, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === backslash) at++
    else if (text[at] === quote) return at + 1
  }
  return text.length
}

/** A name has several spellings: `"a"` and `"\u0061"`. */
function nameIn(literal: string): string {
  try {
    return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1)
  } catch {
    return literal
  }
}
