import { isDeepStrictEqual } from 'node:util'
import { noTarget, tooLarge } from '../errors.ts'
import type { Filter } from '../filter/filter.ts'
import { matches } from '../filter/matches.ts'
import { type Attribute, foldCase, type Resource } from '../schema/attributes.ts'
import { attributeIn, nameOf } from '../schema/paths.ts'
import { saysNothing } from '../schema/read-value.ts'
import type { Operation } from './operation.ts'

/** The values of a multi-valued attribute after a change. */
export function changeValues(values: Resource[], operation: Operation): Resource[] {
  if (operation.op === 'remove') return removeFrom(values, operation).filter(saysSomething)
  const written = write(values, operation).filter(saysSomething)
  const { name, maxValues = written.length } = operation.attribute
  if (written.length > maxValues) throw tooLarge(`${name}: must be at most ${maxValues} values`)
  return written
}

const saysSomething = (value: Resource) => !saysNothing(value)

function removeFrom(values: Resource[], { attribute, sub, filter, value }: Operation): Resource[] {
  const isMeant = (one: Resource) => !filter || matches(filter, one)
  if (sub) return values.map((one) => (isMeant(one) ? without(one, sub.name) : one))
  if (value === undefined) return values.filter((one) => !isMeant(one))
  return values.filter((one) => !(value as Resource[]).some((each) => isSame(attribute, one, each)))
}

const without = (value: Resource, name: string): Resource => {
  const { [name]: _, ...rest } = value
  return rest
}

function write(values: Resource[], operation: Operation): Resource[] {
  const { op, attribute, sub, filter, value } = operation
  if (sub || filter) return writeParts(values, operation, sub ? { [sub.name]: value } : (value as Resource))
  return (value as Resource[]).reduce<Resource[]>((all, one) => add(attribute, all, one), op === 'add' ? values : [])
}

/** RFC 7644 has no target where none fits; clients depend on one that is made. */
function writeParts(values: Resource[], operation: Operation, parts: Resource): Resource[] {
  const { filter } = operation
  const isMeant = (one: Resource) => !filter || matches(filter, one)
  if (values.some(isMeant))
    return withOnePrimary(
      values.map((one) => (isMeant(one) ? { ...one, ...parts } : one)),
      values,
    )
  return withOnePrimary([...values, { ...madeBy(operation), ...parts }], values)
}

/** What a value must have, so that the filter finds it. */
function madeBy(operation: Operation): Resource {
  const { filter } = operation
  const made = filter ? required(filter) : {}
  if (filter && !matches(filter, made))
    throw noTarget(`${nameOf(operation)}: no value fits the filter, and none can be made from it`)
  return made
}

function required(filter: Filter): Resource {
  if (filter.is === 'and') return Object.assign({}, ...filter.of.map(required))
  if (filter.is !== 'compare' || filter.operator !== 'eq' || filter.value === null) return {}
  return { [filter.path.attribute.name]: filter.value }
}

/** A value that is there already is not doubled; what is new of it is taken. */
function add(attribute: Attribute, values: Resource[], value: Resource): Resource[] {
  const at = values.findIndex((one) => isSame(attribute, one, value))
  const all = at < 0 ? [...values, value] : values.with(at, { ...values[at], ...value })
  return withOnePrimary(all, values)
}

/** Where one becomes primary, another that was is so no more (RFC 7644, 3.5.2). */
function withOnePrimary(values: Resource[], before: Resource[]): Resource[] {
  const isNew = (value: Resource) => value.primary === true && !before.includes(value)
  const latest = values.findLast(isNew)
  return latest ? values.map((one) => (one === latest || one.primary !== true ? one : without(one, 'primary'))) : values
}

/** The same value and, where both have one, the same type. */
function isSame({ subAttributes = [] }: Attribute, one: Resource, other: Resource): boolean {
  const value = attributeIn(subAttributes, 'value')
  if (!value) return isDeepStrictEqual(without(one, 'primary'), without(other, 'primary'))
  const areEqual = (left: unknown, right: unknown, { caseExact }: Pick<Attribute, 'caseExact'>) =>
    caseExact ? left === right : foldCase(String(left)) === foldCase(String(right))
  const isSameType =
    one.type === undefined || other.type === undefined || areEqual(one.type, other.type, { caseExact: false })
  return isSameType && areEqual(one.value, other.value, value)
}
