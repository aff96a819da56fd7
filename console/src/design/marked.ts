/**
 * Characters that are not seen and change what is: they turn text around, or make two names look alike. Tabs and line breaks are blanks.
 * Joiners belong to scripts and emoji that need them, and tags to the flag that they follow.
 */
const hidden =
  /(?<joined>(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D(?=\p{Extended_Pictographic})|(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}])[\u200C\u200D]|(?<=\u{1F3F4})[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]+\u{E007F})|(?![\t\n\r])(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|\u034F)/gu

export type Piece = { text: string; isMark: boolean }

/** The text in pieces; each hidden character is one of its own, by its code. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const found of text.matchAll(hidden)) {
    if (found.groups?.joined !== undefined) continue
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), isMark: false })
    pieces.push({ text: codeOf(found[0]), isMark: true })
    from = found.index + found[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMark: false })
  return pieces
}

/** Where only text can stand, such as the title of a window or a choice in a menu. */
export const plain = (text: string) =>
  piecesOf(text)
    .map((piece) => (piece.isMark ? `[${piece.text}]` : piece.text))
    .join('')

const codeOf = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
