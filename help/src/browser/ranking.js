// Which sections answer a query, the best first. Every term must be found, at the beginning of a word or of a part of a name:
// `retry` finds SIGNET_RETRY_MAX, and `created` finds PersonCreated_v1.

/**
 * @typedef {{ title: string, heading: string, text: string }} Fields
 * @typedef {Fields & { address: string, anchor: string, isPage: boolean, weight: number, lower: Fields }} Section
 * @typedef {import('../search-index.ts').SearchIndex} SearchIndex
 */

const weights = { title: 30, heading: 12, text: 3, context: 1 }
const mostTerms = 8
const smallWords = new Set(
  'a an and are can do does for how i in is it my of on or the to what when where why with'.split(' '),
)
const endings = /(?<=\w{4})(?:ing|ies|ed|es|e|s|y)$/

/** `weight`: what an answer of this index counts beside those of others. */
/** @param {SearchIndex} index @param {number} [weight] @returns {Section[]} */
export const sectionsOf = ({ pages, sections }, weight = 1) =>
  sections.map(([page, anchor, heading, text], place) => {
    const [address, title] = pages[page] ?? ['', '']
    const isPage = sections[place - 1]?.[0] !== page
    const lower = { title: title.toLowerCase(), heading: heading.toLowerCase(), text: text.toLowerCase() }
    return { address, anchor, title, heading, text, isPage, weight, lower }
  })

/** In small letters; small words only where there is nothing else. */
/** @param {string} query */
export function termsOf(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, mostTerms)
  const large = words.filter((word) => !smallWords.has(word))
  return large.length > 0 ? large : words
}

/** @param {Section[]} sections @param {string[]} terms @param {number} most @returns {Section[]} */
export function find(sections, terms, most) {
  const phrase = terms.length > 1 ? [terms.join(' ')] : []
  return sections
    .map((section) => ({ section, score: scoreOf(section, terms, phrase) * section.weight }))
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
    const score = own || weights.context * match(section.title, section.lower.title, term)
    if (score === 0) return 0
    isNamed ||= own > 0
    sum += score
  }
  if (!isNamed) return 0
  return sum + phrase.reduce((more, whole) => more + ownScore(section, whole), 0)
}

/** @param {Section} section @param {string} term */
const ownScore = ({ isPage, heading, text, lower }, term) =>
  Math.max(
    (isPage ? weights.title : weights.heading) * match(heading, lower.heading, term),
    weights.text * match(text, lower.text, term),
  )

/** How well: a field that is the term, has it as a word, begins a word or a part of a name with it or with its stem, or has it not. */
/** @param {string} shown @param {string} lower @param {string} term */
function match(shown, lower, term) {
  if (lower === term) return 2
  let best = 0
  for (const [from, to] of placesOf(shown, lower, term)) {
    best = Math.max(best, quality(shown, from, to))
    if (best === 1) return best
  }
  const stem = term.replace(endings, '')
  return best || (stem !== term && placesOf(shown, lower, stem).next().value ? 0.4 : 0)
}

/** Where a word or a part of a name begins so. */
/** @param {string} shown @param {string} lower @param {string} term @returns {Generator<[from: number, to: number], undefined>} */
function* placesOf(shown, lower, term) {
  for (let at = lower.indexOf(term); at >= 0; at = lower.indexOf(term, at + 1))
    if (beginsWord(shown, at) || beginsPart(shown, at)) yield [at, at + term.length]
  return undefined
}

/** @param {string} shown @param {number} from @param {number} to */
function quality(shown, from, to) {
  if (!beginsWord(shown, from)) return 0.5
  return isInName(shown[to]) && isInName(shown[to - 1]) ? 0.7 : 1
}

/** @param {string} shown @param {number} at */
const beginsWord = (shown, at) => !isInName(shown[at - 1]) || !isInName(shown[at])

/** @param {string} shown @param {number} at */
const beginsPart = (shown, at) =>
  shown[at - 1] === '_' || (/\p{Lu}/u.test(shown[at] ?? '') && !/\p{Lu}/u.test(shown[at - 1] ?? ''))

/** @param {string | undefined} character */
const isInName = (character) => character !== undefined && /[\p{L}\p{N}_]/u.test(character)

/** Where a text first has one of the terms, or its stem. */
/** @param {string} text @param {string[]} terms @returns {[from: number, to: number] | undefined} */
export function firstMatch(text, terms) {
  const lower = text.toLowerCase()
  const first = (/** @type {string} */ term) => placesOf(text, lower, term).next().value
  const found = terms.map((term) => first(term) ?? first(term.replace(endings, '')))
  return found.filter((place) => place !== undefined).sort(([a], [b]) => a - b)[0]
}
