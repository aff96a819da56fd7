import { invalidSyntax, noTarget, tooLarge } from '../errors.ts'
import type { ResourceSchema, Schema } from '../schema/attributes.ts'
import { schemaNamed } from '../schema/paths.ts'
import { isObject } from '../schema/read-value.ts'
import { type Assignment, toOperations } from './assignment.ts'
import type { Operation } from './operation.ts'
import { readPatchPath } from './patch-path.ts'

const maxOperations = 1_000

/**
 * One operation for each attribute: values without a path, dotted keys, and complex attributes with one value are taken apart, since what
 * is not named stays. An empty text is a `remove`. Throws `invalidSyntax`, `invalidPath`, `invalidValue`, `mutability` and `noTarget`.
 */
export function readPatch(schema: ResourceSchema, body: object): Operation[] {
  const list = memberOf(body, 'operations')
  if (!Array.isArray(list) || list.length === 0)
    throw invalidSyntax('Operations: must be a list with at least one operation')
  if (list.length > maxOperations) throw tooLarge(`Operations: must be at most ${maxOperations}`)
  return list.flatMap((one, index) => assignmentsOf(schema, one, `Operations[${index}]`).flatMap(toOperations))
}

/** Whatever the case of its name's letters. */
const memberOf = (object: object, name: string): unknown =>
  Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1]

function assignmentsOf(schema: ResourceSchema, operation: unknown, place: string): Assignment[] {
  if (!isObject(operation)) throw invalidSyntax(`${place}: must be an object`)
  const op = readOp(memberOf(operation, 'op'), place)
  const path = memberOf(operation, 'path') ?? ''
  if (typeof path !== 'string') throw invalidSyntax(`${place}.path: must be a text`)
  const value = memberOf(operation, 'value')
  const owner = path === '' ? schema : schemaNamed(schema, path)
  if (!owner) return [{ op, path: readPatchPath(schema, path), value, isNamed: true }]
  if (op !== 'remove') return ofMembers(schema, owner, { op, value, place: `${place}.value` })
  if (owner === schema) throw noTarget(`${place}.path: is required to remove`)
  return owner.attributes.map((attribute) => ({
    op,
    path: { extension: owner.id, attribute },
    value: null,
    isNamed: false,
  }))
}

function readOp(op: unknown, place: string): Operation['op'] {
  const word = typeof op === 'string' ? op.toLowerCase() : ''
  if (word === 'add' || word === 'replace' || word === 'remove') return word
  throw invalidSyntax(`${place}.op: must be add, replace or remove`)
}

type Whole = { op: Operation['op']; value: unknown; place: string }

/** Each member of the value is an attribute of `owner`: of the resource's own schema, or of an extension. */
function ofMembers(schema: ResourceSchema, owner: Schema, { op, value, place }: Whole): Assignment[] {
  if (!isObject(value)) throw invalidSyntax(`${place}: must be an object, for the path names no attribute`)
  return Object.entries(value).flatMap(([name, own]): Assignment[] => {
    const extension = owner === schema ? schemaNamed(schema, name) : undefined
    if (extension) return ofMembers(schema, extension, { op, value: own ?? {}, place: `${place}.${name}` })
    const path = readPatchPath(schema, owner === schema ? name : `${owner.id}:${name}`)
    return [{ op, path, value: own, isNamed: false }]
  })
}
