import { immutable, invalidValue } from '../errors.ts'
import type { Attribute } from '../schema/attributes.ts'
import { attributeIn, type KnownPath, nameOf, refuseForbidden } from '../schema/paths.ts'
import { asObject, isObject, isWritable, readMembers, readOne, readValue } from '../schema/read-value.ts'
import type { Operation } from './operation.ts'
import type { PatchPath } from './patch-path.ts'

/** `isNamed`: by a path, rather than by a member of a value: clients send `id` beside what they change. */
export type Assignment = { op: Operation['op']; path: PatchPath; value: unknown; isNamed: boolean }

/** What nobody knows, and a password, mean nothing. */
export function toOperations({ op, path, value, isNamed }: Assignment): Operation[] {
  if (!path.attribute || !mayWrite(path, isNamed)) return []
  const target = path.sub ?? path.attribute
  if (op === 'remove') return remove(path, value)
  if (path.attribute.multiValued && !path.sub) return setValues({ ...path, op }, value)
  const own = unwrap(target, value)
  if (target.type === 'complex') return setParts({ op, path, value: own, isNamed: false }, target)
  const read = own === null && target.type !== 'boolean' ? undefined : readOne(target, own, nameOf(path))
  return read === undefined ? remove(path, undefined) : [{ ...path, op, value: read }]
}

function mayWrite(path: KnownPath, isNamed: boolean): boolean {
  const { attribute, sub = attribute } = path
  if (isNamed && (attribute.mutability === 'readOnly' || sub.mutability === 'readOnly'))
    throw immutable(`${nameOf(path)}: is read-only`)
  if (isNamed && path.sub?.mutability === 'immutable')
    throw immutable(`${nameOf(path)}: must not be changed; remove the value and add another`)
  return isWritable(attribute) && isWritable(sub)
}

/**
 * Some clients send `[{"value": "x"}]`, `{"value": "x"}` or `{"title": "x"}` where the path names `title` and a text belongs.
 */
function unwrap({ type, name }: Attribute, value: unknown): unknown {
  const one = Array.isArray(value) && value.length <= 1 ? (value[0] ?? null) : (value ?? null)
  if (type === 'complex' || !isObject(one)) return one
  const [member] = Object.entries(one).filter(([key]) => ['value', name.toLowerCase()].includes(key.toLowerCase()))
  return member ? member[1] : one
}

type Target = KnownPath & Pick<Operation, 'filter'> & { op: 'add' | 'replace' }

/** Of a multi-valued attribute: all of them, or those that fit the filter. */
function setValues(target: Target, value: unknown): Operation[] {
  if (target.filter) return setChosen(target, Array.isArray(value) && value.length === 1 ? value[0] : value)
  const values = value === '' ? [] : (readValue(target.attribute, value, nameOf(target)) ?? [])
  return [{ ...target, value: values }]
}

function setChosen(target: Target, value: unknown): Operation[] {
  const place = nameOf(target)
  const { subAttributes = [] } = target.attribute
  if (value === null || value === undefined || value === '') return remove(target, undefined)
  const given = asObject(target.attribute, value)
  if (!given) throw invalidValue(`${place}: must be an object`)
  return [{ ...target, value: readMembers(subAttributes, given, `${place}.`) }]
}

/** Of a complex attribute with one value: what is not named of it stays. */
function setParts({ op, path, value, isNamed }: Assignment, target: Attribute): Operation[] {
  const known = path as KnownPath
  if (value === null || value === '') return remove(known, undefined)
  const { subAttributes = [] } = target
  const given = asObject(target, value)
  if (!given) throw invalidValue(`${nameOf(known)}: must be an object`)
  return Object.entries(given).flatMap(([name, part]) => {
    refuseForbidden(name)
    const sub = attributeIn(subAttributes, name)
    return sub ? toOperations({ op, path: { ...known, sub }, value: part, isNamed }) : []
  })
}

type Removable = KnownPath & Pick<Operation, 'filter'>

function remove(path: Removable, value: unknown): Operation[] {
  const { attribute, sub, filter } = path
  const isSelected = attribute.multiValued && !sub && !filter && value !== null && value !== undefined
  return [{ ...path, op: 'remove', ...(isSelected && { value: readValue(attribute, value, nameOf(path)) }) }]
}
