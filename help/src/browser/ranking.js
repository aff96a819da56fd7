// Which sections answer a query, the best first. Every term must be found, at the beginning of a word or of a part of a name:
// `retry` finds SIGNET_RETRY_MAX, and `created` finds PersonCreated_v1.

/**
 * @typedef {{ address: string, title: string, anchor: string, heading: string, text: string, isPage: boolean }} Section
 * @typedef {import('../search-index.ts').SearchIndex} SearchIndex
 */

const weights = { title: 30, heading: 12, text: 3, context: 1 }
const mostTerms = 8

/** @param {SearchIndex} index @returns {Section[]} */
export const sectionsOf = ({ pages, sections }) =>
  sections.map(([page, anchor, heading, text], place) => {
    const [address, title] = pages[page] ?? ['', '']
    return { address, title, anchor, heading, text, isPage: sections[place - 1]?.[0] !== page }
  })

/** @param {string} query */
export const termsOf = (query) => query.trim().split(/\s+/).filter(Boolean).slice(0, mostTerms)

/** @param {Section[]} sections @param {string[]} terms @param {number} most @returns {Section[]} */
export function find(sections, terms, most) {
  const phrase = terms.length > 1 ? [terms.join(' ')] : []
  return sections
    .map((section) => ({ section, score: scoreOf(section, terms, phrase) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ section }) => section)
}

/** @param {Section} section @param {string[]} terms @param {string[]} phrase */
function scoreOf(section, terms, phrase) {
  let sum = 0
  let isNamed = section.isPage
  for (const term of terms) {
    const own = ownScore(section, term)
    const score = own || weights.context * match(section.title, term)
    if (score === 0) return 0
    isNamed ||= own > 0
    sum += score
  }
  if (!isNamed) return 0
  return sum + phrase.reduce((more, whole) => more + ownScore(section, whole), 0)
}

/** @param {Section} section @param {string} term */
const ownScore = ({ isPage, heading, text }, term) =>
  Math.max((isPage ? weights.title : weights.heading) * match(heading, term), weights.text * match(text, term))

/** How well: a field that is the term, the term as a word of it, as the beginning of a word, of a part of a name, or not at all. */
/** @param {string} field @param {string} term */
function match(field, term) {
  let best = 0
  const found = term.toLowerCase()
  const lower = field.toLowerCase()
  if (lower === found) return 2
  for (let at = lower.indexOf(found); at >= 0 && best < 1; at = lower.indexOf(found, at + 1))
    best = Math.max(best, quality(field, at, at + found.length))
  return best
}

/** @param {string} field @param {number} from @param {number} to */
function quality(field, from, to) {
  if (isInName(field[from - 1]) && isInName(field[from])) return beginsPart(field, from) ? 0.5 : 0
  return isInName(field[to]) && isInName(field[to - 1]) ? 0.7 : 1
}

/** @param {string} field @param {number} at */
const beginsPart = (field, at) =>
  field[at - 1] === '_' || (/\p{Lu}/u.test(field[at] ?? '') && !/\p{Lu}/u.test(field[at - 1] ?? ''))

/** @param {string | undefined} character */
const isInName = (character) => character !== undefined && /[\p{L}\p{N}_]/u.test(character)

/** Where the text first has one of the terms. */
/** @param {string} text @param {string[]} terms @returns {[from: number, to: number] | undefined} */
export function firstMatch(text, terms) {
  const lower = text.toLowerCase()
  return terms.flatMap((term) => firstOf(text, lower, term.toLowerCase())).sort(([a], [b]) => a - b)[0]
}

/** @param {string} text @param {string} lower @param {string} term @returns {[from: number, to: number][]} */
function firstOf(text, lower, term) {
  for (let at = lower.indexOf(term); at >= 0; at = lower.indexOf(term, at + 1))
    if (quality(text, at, at + term.length) > 0) return [[at, at + term.length]]
  return []
}
