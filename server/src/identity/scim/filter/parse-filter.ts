import { invalidFilter, tooManyTerms } from '../errors.ts'
import type { Attribute, ResourceSchema } from '../schema/attributes.ts'
import { attributeIn, isLegalName, type Path, toPath } from '../schema/paths.ts'
import type { Filter } from './filter.ts'
import { shown, toComparison, toPresence } from './terms.ts'
import { type Token, toTokens } from './tokens.ts'

export const maxFilterLength = 4_096
const maxDepth = 20
const maxTerms = 50

/** `resolve` reads what stands where an attribute belongs. */
type Parsing = {
  tokens: Token[]
  at: number
  depth: number
  terms: number
  resolve: (name: string) => Path | undefined
}

/** A filter of resources (RFC 7644, 3.4.2.2). Throws `invalidFilter`, and `tooMany` beyond 50 terms. */
export const parseFilter = (schema: ResourceSchema, text: string): Filter => parse(text, (name) => toPath(schema, name))

/** The filter of a value path: what stands in its brackets. `attribute` is undefined where nobody knows it. */
export const parseValueFilter = (attribute: Attribute | undefined, text: string): Filter =>
  parse(text, within(attribute))

function within(attribute: Attribute | undefined) {
  return (name: string): Path | undefined =>
    isLegalName(name) ? { attribute: attributeIn(attribute?.subAttributes ?? [], name) } : undefined
}

function parse(text: string, resolve: Parsing['resolve']): Filter {
  if (text.length > maxFilterLength) throw invalidFilter(`filter: must be at most ${maxFilterLength} characters`)
  const parsing: Parsing = { tokens: toTokens(text), at: 0, depth: 0, terms: 0, resolve }
  const filter = readAny(parsing)
  if (peek(parsing)) throw unexpected(parsing)
  return filter
}

const peek = ({ tokens, at }: Parsing): Token | undefined => tokens[at]

const isNext = (parsing: Parsing, is: Token['is'], value: string) => {
  const token = peek(parsing)
  return token?.is === is && token.value.toLowerCase() === value
}

function skip(parsing: Parsing, is: Token['is'], value: string): boolean {
  const found = isNext(parsing, is, value)
  if (found) parsing.at++
  return found
}

function unexpected(parsing: Parsing) {
  const token = peek(parsing)
  return invalidFilter(`filter: ${token ? `${shown(token.value)} must not stand where it does` : 'ends too early'}`)
}

/** `and` binds more than `or`, and `not` more than both. */
const readAny = (parsing: Parsing): Filter => readChain(parsing, 'or', readAll)
const readAll = (parsing: Parsing): Filter => readChain(parsing, 'and', readTerm)

function readChain(parsing: Parsing, is: 'and' | 'or', readPart: (parsing: Parsing) => Filter): Filter {
  const first = readPart(parsing)
  const of = [first]
  while (skip(parsing, 'word', is)) of.push(readPart(parsing))
  return of.length === 1 ? first : { is, of }
}

function readTerm(parsing: Parsing): Filter {
  if (isNext(parsing, 'word', 'not') && parsing.tokens[parsing.at + 1]?.value === '(') {
    parsing.at++
    return { is: 'not', of: readTerm(parsing) }
  }
  if (skip(parsing, 'bracket', '(')) return readNested(parsing, ')')
  return readExpression(parsing)
}

function readNested(parsing: Parsing, end: ')' | ']'): Filter {
  if (++parsing.depth > maxDepth) throw invalidFilter(`filter: must not be nested deeper than ${maxDepth}`)
  const filter = readAny(parsing)
  if (!skip(parsing, 'bracket', end)) throw unexpected(parsing)
  parsing.depth--
  return filter
}

function takeWord(parsing: Parsing): string {
  const token = peek(parsing)
  if (token?.is !== 'word') throw unexpected(parsing)
  parsing.at++
  return token.value
}

function readExpression(parsing: Parsing): Filter {
  const name = takeWord(parsing)
  const path = parsing.resolve(name)
  if (!path) throw invalidFilter(`filter: ${shown(name)} must be the name of an attribute`)
  if (skip(parsing, 'bracket', '[')) return readAmong(parsing, path)
  return readComparison(parsing, path)
}

function readComparison(parsing: Parsing, path: Path): Filter {
  if (++parsing.terms > maxTerms) throw tooManyTerms(`filter: must be at most ${maxTerms} terms`)
  const operator = takeWord(parsing)
  if (operator.toLowerCase() === 'pr') return toPresence(path)
  const value = peek(parsing)
  if (!value) throw unexpected(parsing)
  parsing.at++
  return toComparison(path, operator, value)
}

/** Entra compares a part behind the brackets: `emails[type eq "work"].value eq "x"`. */
function readAmong(parsing: Parsing, path: Path): Filter {
  const { attribute } = path
  const outer = parsing.resolve
  parsing.resolve = within(attribute)
  const filter = readNested(parsing, ']')
  const of = [filter, ...readPartBehind(parsing)]
  parsing.resolve = outer
  if (!attribute) return { is: 'nothing' }
  if (attribute.type !== 'complex' || ('sub' in path && path.sub))
    throw invalidFilter(`filter: ${attribute.name} has no parts to look for in brackets`)
  return { is: 'among', path, filter: of.length === 1 ? filter : { is: 'and', of } }
}

function readPartBehind(parsing: Parsing): Filter[] {
  const token = peek(parsing)
  if (token?.is !== 'word' || !token.value.startsWith('.')) return []
  parsing.at++
  const path = parsing.resolve(token.value.slice(1))
  if (!path) throw invalidFilter(`filter: ${shown(token.value)} must be the name of a part`)
  return [readComparison(parsing, path)]
}
