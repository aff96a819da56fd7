/**
 * Characters that no name has which a person is shown: line breaks and other controls, and invisible ones that change how the text around
 * them is read, such as U+202E, which turns it around.
 */
const unshowable = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}'

/** For the schema of such a name. */
export const shownNamePattern = `^[^${unshowable}]*$`

const breaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
const formats = /\p{Cf}+/gu

/** A name as a person is shown it: it may have been stored before the rule was made, or come from elsewhere. */
export const shownName = (text: string): string => text.replace(breaks, ' ').replace(formats, '')

/** What somebody else says a person is called: undefined where it is no text that may be shown as it is. */
export function readShownText(value: unknown, limit: number): string | undefined {
  if (typeof value !== 'string' || !value.isWellFormed() || shownName(value) !== value) return undefined
  const text = value.trim()
  return text !== '' && [...text].length <= limit ? text : undefined
}
