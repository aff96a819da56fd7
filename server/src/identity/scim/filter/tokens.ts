import { isStorable } from '../../../ground/http/chain/validation.ts'
import { invalidFilter } from '../errors.ts'

/** `bracket`: also a parenthesis. `text`: a JSON string, as it is meant. */
export type Token = { is: 'bracket' | 'word' | 'text'; value: string }

/** Sticky, and no text fits one in two ways, so that each character is looked at once. */
const forms = {
  space: /\s+/y,
  bracket: /[()[\]]/y,
  text: /"(?:[^"\\]|\\.)*"/sy,
  word: /[^\s()[\]"]+/y,
}

export function toTokens(filter: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (form: RegExp) => {
    form.lastIndex = at
    const found = form.exec(filter)?.[0]
    at += found?.length ?? 0
    return found
  }
  while (at < filter.length) {
    if (take(forms.space) !== undefined) continue
    const start = at
    const bracket = take(forms.bracket)
    const word = take(forms.word)
    if (bracket !== undefined) tokens.push({ is: 'bracket', value: bracket })
    if (word !== undefined) tokens.push({ is: 'word', value: word })
    if (at > start) continue
    tokens.push({ is: 'text', value: toText(take(forms.text)) })
  }
  return tokens
}

function toText(literal: string | undefined): string {
  if (literal === undefined) throw invalidFilter('filter: a text must end with a double quote')
  const text = parse(literal)
  if (!isStorable(text)) throw invalidFilter('filter: a text must have no U+0000 and no half of a surrogate pair')
  return text
}

function parse(literal: string): string {
  try {
    return JSON.parse(literal)
  } catch {
    throw invalidFilter('filter: a text must be written as in JSON')
  }
}
