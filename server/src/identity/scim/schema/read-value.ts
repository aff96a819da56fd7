import { invalidValue, tooLarge } from '../errors.ts'
import type { Attribute } from './attributes.ts'
import { attributeIn, refuseForbidden } from './paths.ts'

/**
 * A value as a client sent it, in canonical form. Undefined: it has none, as with null and an empty text. `place` is what a refusal
 * calls it: `emails[0].value`.
 */
export function readValue(attribute: Attribute, value: unknown, place: string): unknown {
  if (value === null || value === undefined) return undefined
  return attribute.multiValued ? readList(attribute, value, place) : readOne(attribute, value, place)
}

/** Some clients send one value where a list belongs. */
function readList(attribute: Attribute, value: unknown, place: string): unknown[] {
  const list = Array.isArray(value) ? value : [value]
  const { maxValues = list.length } = attribute
  if (list.length > maxValues) throw tooLarge(`${place}: must be at most ${maxValues} values`)
  const values = []
  for (const [index, item] of list.entries()) {
    const read = readOne(attribute, item, `${place}[${index}]`)
    if (read !== undefined) values.push(read)
  }
  return withOnePrimary(values)
}

/** The first. */
function withOnePrimary(values: unknown[]): unknown[] {
  let isTaken = false
  for (const value of values as { primary?: unknown }[]) {
    if (value.primary !== true) continue
    if (isTaken) delete value.primary
    isTaken = true
  }
  return values
}

/** One value of a multi-valued attribute, or the value of another. */
export function readOne(attribute: Attribute, value: unknown, place: string): unknown {
  if (attribute.type === 'complex') return readComplex(attribute, value, place)
  return attribute.type === 'boolean' ? readFlag(value, place) : readText(attribute, value, place)
}

function readText({ maxLength, canonicalValues = [], refuseOthers }: Attribute, value: unknown, place: string) {
  if (typeof value !== 'string') throw invalidValue(`${place}: must be a text`)
  if (maxLength !== undefined && value.length > maxLength)
    throw invalidValue(`${place}: must be at most ${maxLength} characters`)
  if (refuseOthers && value && !canonicalValues.some((each) => each.toLowerCase() === value.toLowerCase()))
    throw invalidValue(`${place}: ${refuseOthers}`)
  return value === '' ? undefined : value
}

/** Entra writes `"True"` and `"False"`. */
export function readFlag(value: unknown, place: string): boolean {
  const text = typeof value === 'string' ? value.toLowerCase() : value
  if (text === true || text === 'true') return true
  if (text === false || text === 'false') return false
  throw invalidValue(`${place}: must be true or false`)
}

/** What says nothing without a value beside it. */
const accompanying = new Set(['type', 'primary', 'display'])

export const saysNothing = (value: object) => Object.keys(value).every((name) => accompanying.has(name))

/** Entra sends a manager as a text alone. */
export function asObject({ subAttributes = [] }: Attribute, value: unknown): Record<string, unknown> | undefined {
  if (typeof value === 'string' && attributeIn(subAttributes, 'value')) return { value }
  return isObject(value) ? value : undefined
}

function readComplex(attribute: Attribute, value: unknown, place: string): object | undefined {
  const { subAttributes = [], multiValued } = attribute
  const given = asObject(attribute, value)
  if (!given) throw invalidValue(`${place}: must be an object`)
  const read = readMembers(subAttributes, given, `${place}.`)
  requireMembers(subAttributes, read, `${place}.`)
  return (multiValued ? saysNothing(read) : Object.keys(read).length === 0) ? undefined : read
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members that clients may write; others mean nothing. */
export function readMembers(attributes: Attribute[], object: object, before: string): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    const attribute = attributeIn(attributes, name)
    if (!attribute) refuseForbidden(name)
    else if (isWritable(attribute)) {
      const own = readValue(attribute, value, before + attribute.name)
      if (own !== undefined && !(Array.isArray(own) && own.length === 0)) read[attribute.name] = own
    }
  }
  return read
}

/** A password is thrown away. */
export const isWritable = ({ mutability }: Attribute) => mutability === 'readWrite' || mutability === 'immutable'

export function requireMembers(attributes: Attribute[], object: object, before: string) {
  for (const { name, required } of attributes)
    if (required && !Object.hasOwn(object, name)) throw invalidValue(`${before}${name}: is required`)
}
