import { Ajv, type ErrorObject, type Options } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { ApiError, badRequest, badRequestOf, type Fault, maxProblems } from '../../errors.ts'
import { hintOfField, hintOfValue } from './near-misses.ts'
import { isTimestamp, readTimes } from './timestamps.ts'

/** Values of a body plus the characters of its names. For a larger body only the first problem is listed. */
const maxSizeToListAll = 10_000
/** No operation takes more than five levels, and functions that walk through a body recurse for each. */
export const maxDepth = 32
/** No object has half as many. They are counted first, because walking through an object of 1 MiB takes 60 ms. */
const maxFields = 1_000
/** Field names come from the client and may be as long as a body; each message contains the path to its field. */
const maxPathLength = 200

const common = { useDefaults: true, verbose: true, removeAdditional: false, coerceTypes: false } as const
const untilFirst = createAjv(common)
const untilLast = createAjv({ ...common, allErrors: true })

function createAjv(options: Options): Ajv {
  const ajv = new Ajv(options)
  ajv.addVocabulary(['x-rule', 'x-pattern-rule', 'x-component', 'x-columns', 'x-never-in-csv'])
  ajv.addKeyword({ keyword: 'x-one-of', type: 'string', validate: isAmong, errors: false })
  ajv.addFormat('date-time', isTimestamp)
  ajv.addKeyword({ keyword: 'x-max-distinct', type: 'array', validate: hasAtMost, errors: false, before: 'items' })
  // The schema of UUIDs has a pattern.
  ajv.addFormat('uuid', true)
  return ajv
}

function hasAtMost(most: number, items: unknown[]): boolean {
  return new Set(items).size <= most
}

function isAmong(names: string[], name: string): boolean {
  return names.includes(name)
}

/**
 * Stops at the first problem; only for a small body are all listed. A body of 1 MiB may break a rule half a million times,
 * and finding them all would delay every other request for seconds. Compiled at the first request: the schemas of all
 * operations take 0.3 s (measured), for which a start need not wait.
 */
export const compileValidator =
  ({ schema, httpPart }: { schema: object; httpPart?: string }) =>
  (input: unknown) => {
    const validate = untilFirst.compile(schema)
    const value = httpPart === 'body' ? input : readIntegers(schema, input as Record<string, unknown>)
    if (validate(value)) return { value: readTimes(schema, value) }
    const listAll = isSmall(value) ? untilLast.compile(schema) : undefined
    listAll?.(value)
    const error = badRequestOf(faultsOf((listAll ?? validate).errors ?? []))
    const rest = httpPart === 'body' && listAll ? without(value, listAll.errors ?? []) : undefined
    return { error: new InvalidRequest(error, rest) }
  }

/** What the schema finds wrong. `rest`: the body without those parts, where all of them are known. */
export class InvalidRequest extends ApiError {
  readonly rest: unknown

  constructor({ problems }: ApiError, rest: unknown) {
    super(problems)
    this.rest = rest
  }
}

/** The body without the members that break the schema; items of arrays keep their indexes. */
function without(body: unknown, errors: ErrorObject[]): unknown {
  if (errors.some(isOfWhole)) return undefined
  const rest = structuredClone(body as object)
  for (const error of errors) removeAt(rest, pathOf(error))
  return rest
}

const isOfWhole = (error: ErrorObject) => error.keyword !== 'required' && pathOf(error).length === 0

function pathOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const path = pointerParts(instancePath)
  return keyword === 'additionalProperties' ? [...path, params.additionalProperty] : path
}

function removeAt(body: object, [first, second]: string[]) {
  if (first === undefined) return
  const members = body as Record<string, unknown>
  const inner = members[first]
  if (second === undefined || typeof inner !== 'object' || inner === null) remove(members, first)
  else remove(inner as Record<string, unknown>, second)
}

function remove(members: Record<string, unknown>, name: string) {
  if (Array.isArray(members)) members[Number(name)] = undefined
  else delete members[name]
}

/** Path and query are text: `limit=10` is an integer. The validator's own conversion would accept `1e2`, `0x10` and `+5`. */
function readIntegers(schema: object, input: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const read = ([name, value]: [string, unknown]): [string, unknown] =>
    properties[name]?.type === 'integer' && /^\d+$/.test(String(value)) ? [name, Number(value)] : [name, value]
  return Object.fromEntries(Object.entries(input).map(read))
}

const isSmall = (value: unknown) => sizeLeft(value, maxSizeToListAll) > 0

/** `size` minus the size of this value; counting stops at 0. */
function sizeLeft(value: unknown, size: number): number {
  let left = size - 1
  for (const [name, item] of membersOf(value)) {
    if (left <= 0) break
    left = sizeLeft(item, typeof name === 'string' ? left - name.length : left)
  }
  return left
}

function membersOf(value: unknown): Iterable<[string | number, unknown]> {
  if (Array.isArray(value)) return value.entries()
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** One for each thing wrong, each naming the field and the rule in plain words. */
function faultsOf(errors: ErrorObject[]): Fault[] {
  const unions = new Set(errors.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/`))
  // The branches of a union repeat the sentence of the whole.
  const isRepeated = ({ schemaPath }: ErrorObject) => unions.values().some((union) => schemaPath.startsWith(union))
  const distinct = errors.filter((error) => !isRepeated(error)).slice(0, maxProblems)
  return [...new Map(distinct.map(describe).map((fault) => [fault.message, fault])).values()]
}

function describe(error: ErrorObject): Fault {
  const path = fieldPath(error.instancePath)
  if (error.keyword === 'required') return missing(joined(path, error.params.missingProperty))
  if (error.keyword === 'additionalProperties')
    return {
      code: 'unknown_field',
      message: `${joined(path, error.params.additionalProperty)}: is not a known field${hintOf(error)}`,
    }
  const ownRule = ownRuleOf(error)
  if (isOfNoBody(error)) return missing('body', `, and ${ownRule ?? `must be a JSON ${error.params.type}`}`)
  return { code: 'invalid_value', message: `${path || 'body'}: ${ownRule ?? plainWords(error)}${hintOf(error)}` }
}

const missing = (path: string, rule = ''): Fault => ({ code: 'required', message: `${path}: is required${rule}` })

type Ruled = { 'x-rule'?: string; 'x-pattern-rule'?: string; 'x-one-of'?: string[] }

/** Names may be others by now than when the rule was written. */
function ownRuleOf({ keyword, parentSchema }: ErrorObject): string | undefined {
  const { 'x-rule': written, 'x-pattern-rule': ofPattern, 'x-one-of': names } = (parentSchema ?? {}) as Ruled
  if (keyword === 'pattern' && ofPattern) return ofPattern
  return names ? written?.replace(/^must be one of .*?(?=, or null$|$)/, `must be one of ${names.join(', ')}`) : written
}

type Parent = { properties?: object; anyOf?: { const?: unknown }[] }

/** Names what was probably meant. */
function hintOf({ keyword, params, schema, parentSchema, data }: ErrorObject): string {
  const { properties = {}, anyOf = [] } = (parentSchema ?? {}) as Parent
  if (keyword === 'additionalProperties') return hintOfField(params.additionalProperty, Object.keys(properties))
  if (keyword === 'enum' || keyword === 'x-one-of') return hintOfValue(data, schema as unknown[])
  return keyword === 'anyOf'
    ? hintOfValue(
        data,
        anyOf.map((each) => each.const),
      )
    : ''
}

/** The validator gets null where there is no body. */
const isOfNoBody = ({ keyword, instancePath, data }: ErrorObject) =>
  keyword === 'type' && instancePath === '' && data === null

function plainWords(error: ErrorObject): string {
  if (error.keyword === 'type') return `must be ${article([error.params.type].flat().join(' or '))}`
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.filter(isGiven).join(', ')}`
  if (error.keyword === 'const') return `must be ${JSON.stringify(error.params.allowedValue)}`
  if (error.keyword === 'anyOf') return 'does not have an accepted form'
  return error.message ?? 'is not valid'
}

/** Null stands for the default, and needs not be offered. */
const isGiven = (value: unknown) => value !== null

const article = (noun: string) => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`)

function joined(path: string, name: string): string {
  const whole = path ? `${path}.${name}` : name
  return whole.length > maxPathLength ? `${whole.slice(0, maxPathLength).toWellFormed()}…` : whole
}

/** `/handles/0/value` → `handles[0].value`. */
const fieldPath = (pointer: string) => toPath(pointerParts(pointer))

const pointerParts = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

const toPath = (parts: string[]) =>
  parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : joined(path, part)), '')

/**
 * Refuses U+0000 (which PostgreSQL does not store), lone surrogates (which are no text), too deep nesting and too many
 * fields, in every request.
 */
export async function refuseUnstorableText(request: FastifyRequest) {
  const problems: string[] = []
  for (const part of [request.params, request.query, request.body]) findUnstorable(part, [], problems)
  if (problems.length > 0) throw badRequest('invalid_value', ...problems)
}

/** `path` is the path to the value; it becomes text only for a problem. */
function findUnstorable(value: unknown, path: (string | number)[], problems: string[]) {
  if (typeof value === 'string') return isStorable(value) || problems.push(problemAt(path, textRule))
  if (typeof value !== 'object' || value === null) return
  if (path.length === maxDepth) return problems.push(problemAt(path, depthRule))
  if (hasTooManyFields(value)) return problems.push(problemAt(path, fieldsRule))
  for (const [name, item] of membersOf(value)) {
    if (problems.length >= maxProblems) return
    if (typeof name === 'string' && !isStorable(name)) problems.push(problemAt(path, `a field name ${textRule}`))
    else {
      path.push(name)
      findUnstorable(item, path, problems)
      path.pop()
    }
  }
}

/** Stops counting at the limit; an array of all names would take 20 ms more. */
function hasTooManyFields(value: object): boolean {
  let fields = 0
  if (!Array.isArray(value)) for (const _ in value) if (++fields > maxFields) return true
  return false
}

const fieldsRule = `must have at most ${maxFields} fields`
const textRule = 'must not contain U+0000 or lone surrogates'
export const depthRule = `must not be nested deeper than ${maxDepth} levels`
const problemAt = (path: (string | number)[], rule: string) => `${toPath(path.map(String)) || 'body'}: ${rule}`
export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')
