import { type Fragment, fragment } from './sql.ts'

/** The last character of Unicode: in the order of bytes what begins with `prefix` is not beyond `prefix` followed by it. */
const lastCharacter = '\u{10ffff}'

/**
 * Whether `text` begins with `prefix`, as a range that an index of `text` in byte order serves on any plan: `like` needs a prefix that is
 * known when the plan is made.
 */
export const beginsWith = (text: Fragment, prefix: Fragment) => fragment`
  (${text} collate "C" >= ${prefix} and ${text} collate "C" <= ${prefix} || ${lastCharacter}::text)`
