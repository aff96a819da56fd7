import { type Fragment, fragment } from './sql.ts'

/** The last character of Unicode: in the order of bytes what begins with `prefix` is not beyond `prefix` followed by it. */
const lastCharacter = '\u{10ffff}'

/**
 * Whether `text` begins with `prefix`, as a range that an index of `text` in byte order serves on any plan: `like` needs a prefix that is
 * known when the plan is made.
 */
export const beginsWith = (text: Fragment, prefix: Fragment) => fragment`
  (${text} collate "C" >= ${prefix} and ${text} collate "C" <= ${prefix} || ${lastCharacter}::text)`

/** The same whatever the case of its letters, by an index of `lower(text) collate "C"`. */
export const beginsWithAnyCase = (text: Fragment, prefix: string) =>
  beginsWith(fragment`lower(${text})`, fragment`lower(${prefix}::text)`)

/** What somebody looks for: things whose name begins with `text`, at most `limit` of a kind, and the one whose id it is, if it is one. */
export type SearchTerm = { text: string; id: string | undefined; limit: number }
