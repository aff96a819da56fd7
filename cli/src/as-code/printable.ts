/** Control, format and separating characters: they move the cursor, colour the line or turn its direction. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu
/** Characters of a value that a line of a plan has room for. */
const maxShown = 100

/** A value of the service or of the file as one line that a terminal shows as it is. */
export function printable(value: unknown): string {
  const text = escapeUnprintable(JSON.stringify(value) ?? 'nothing')
  const characters = [...text]
  if (characters.length <= maxShown) return text
  return `${characters.slice(0, maxShown).join('')}… (${characters.length} characters)`
}

/** As JSON and YAML both write such a character. */
export const escapeUnprintable = (text: string) =>
  text.replace(unprintable, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  )

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`
