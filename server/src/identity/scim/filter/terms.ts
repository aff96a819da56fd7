import { invalidFilter } from '../errors.ts'
import type { Attribute } from '../schema/attributes.ts'
import { attributeIn, type KnownPath, nameOf, type Path } from '../schema/paths.ts'
import { readFlag } from '../schema/read-value.ts'
import type { Filter, Operator } from './filter.ts'
import type { Token } from './tokens.ts'

const operators: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] satisfies Operator[]
/** Of times: the other operators look into a text. */
const ofTimes: readonly Operator[] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le']
const ofEquality: readonly Operator[] = ['eq', 'ne']

/** What a client wrote, in a message. */
export const shown = (word: string) => JSON.stringify(word.slice(0, 100))

export const toPresence = (path: Path): Filter => (path.attribute ? { is: 'present', path } : { is: 'nothing' })

export function toComparison(path: Path, word: string, token: Token): Filter {
  const operator = word.toLowerCase() as Operator
  if (!operators.includes(operator)) throw invalidFilter(`filter: ${shown(word)} must be an operator`)
  const value = toValue(token)
  if (!path.attribute) return { is: 'nothing' }
  const compared = toCompared(path)
  return { is: 'compare', path: compared, operator, value: readOperand(compared, operator, value) }
}

/** `emails` and `manager` stand for their values. */
function toCompared(path: KnownPath): KnownPath {
  const { attribute, sub } = path
  if (sub || attribute.type !== 'complex') return path
  const value = attributeIn(attribute.subAttributes ?? [], 'value')
  if (!value) throw invalidFilter(`filter: ${nameOf(path)} must be compared by one of its parts`)
  return { ...path, sub: value }
}

type Value = string | number | boolean | null

function toValue({ is, value }: Token): Value {
  if (is === 'text') return value
  const word = value.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  if (word === 'null') return null
  if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return Number(value)
  throw invalidFilter(`filter: ${shown(value)} must be a value: a text in double quotes, true, false or null`)
}

/** The value as its attribute has it. */
function readOperand(path: KnownPath, operator: Operator, value: Value): string | boolean | null {
  const place = nameOf(path)
  const { type } = (path.sub ?? path.attribute) satisfies Attribute
  const allowed = value === null || type === 'boolean' ? ofEquality : type === 'dateTime' ? ofTimes : operators
  if (!allowed.includes(operator)) throw invalidFilter(`filter: ${place} must not be compared with ${operator} here`)
  if (value === null) return null
  if (type === 'boolean') return readFlagOf(value, place)
  if (typeof value !== 'string') throw invalidFilter(`filter: ${place} must be compared with a text in double quotes`)
  return type === 'dateTime' ? readTime(value, place) : value
}

function readFlagOf(value: Value, place: string): boolean {
  try {
    return readFlag(value, place)
  } catch {
    throw invalidFilter(`filter: ${place} must be compared with true or false`)
  }
}

/** Between them PostgreSQL reads what `toISOString` writes. */
const [firstTime, lastTime] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'].map(Date.parse) as [number, number]
const timeForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/i

function readTime(value: string, place: string): string {
  const time = timeForm.test(value) ? Date.parse(value) : Number.NaN
  if (!(time >= firstTime && time <= lastTime))
    throw invalidFilter(`filter: ${place} must be compared with a time such as "2026-01-31T12:00:00Z"`)
  return new Date(time).toISOString()
}
