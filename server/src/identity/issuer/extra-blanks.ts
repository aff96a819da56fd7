/** Parameters whose value is a list of words. */
const lists = new Set(['scope', 'prompt', 'response_type', 'acr_values', 'ui_locales', 'claims_locales'])

/**
 * A query without blanks before, after and twice between the words of a list, as programs make them that join words of which one is
 * empty. The library would take the nothing between two blanks for a word, and refuse it in words that do not say so.
 */
export function withoutExtraBlanks(query: string): string {
  const given = [...new URLSearchParams(query)]
  const tidied = given.map(([name, value]): [string, string] => [name, lists.has(name) ? tidy(value) : value])
  const isSame = tidied.every(([, value], index) => value === given[index]?.[1])
  return isSame ? query : new URLSearchParams(tidied).toString()
}

const tidy = (words: string) => words.split(' ').filter(Boolean).join(' ')
