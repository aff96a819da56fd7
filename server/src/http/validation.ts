import { Ajv, type ErrorObject, type Options } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { ApiError, badRequest } from '../errors.ts'
import { toDay } from '../runtime/clock.ts'

/** A body can break a rule a thousand times; so many are told. */
export const maxProblems = 50
/** Of a body's values and the characters of its names. What is larger is told the first thing that is wrong with it. */
const maxSizeToTellAll = 10_000
/** No operation takes more than five levels, and what walks through a body calls itself for each. */
const maxDepth = 32
/** No object takes half as many; counting goes before all else, for an object of 1 MiB costs 60 ms to walk through. */
const maxFields = 1_000
/** Names are the caller's and as long as a body; each message repeats those that lead to its field. */
const maxPathLength = 200

const common = { useDefaults: true, verbose: true, removeAdditional: false, coerceTypes: false } as const
const untilFirst = createAjv(common)
const untilLast = createAjv({ ...common, allErrors: true })

function createAjv(options: Options): Ajv {
  const ajv = new Ajv(options)
  ajv.addVocabulary(['x-rule', 'x-component'])
  ajv.addKeyword({ keyword: 'x-one-of', type: 'string', validate: isAmong, errors: false })
  ajv.addFormat('date-time', isTimestamp)
  // Its schema has a pattern.
  ajv.addFormat('uuid', true)
  return ajv
}

function isAmong(names: string[], name: string): boolean {
  return names.includes(name)
}

const timestampForm = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i
/** In UTC, where a time is written with a year of four digits and PostgreSQL knows no year 0. */
const firstTime = Date.parse('0001-01-01T00:00:00Z')
const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

/** RFC 3339, without leap seconds. `Date` alone would take the 31st of February for a day in March. */
function isTimestamp(text: string): boolean {
  const day = new Date(timestampForm.exec(text)?.[1] ?? '')
  const isDay = !Number.isNaN(day.getTime()) && text.startsWith(toDay(day.getTime()))
  return isDay && Date.parse(text) >= firstTime && Date.parse(text) <= lastTime
}

/**
 * Stops at the first thing wrong; only of a small body is all told. A body of 1 MiB may break a rule half a million times,
 * and finding that out would hold up every other request for seconds. Compiled for the first request, and known from then
 * on: those of all operations take 0.3 s (measured), which a start has no need to wait for.
 */
export function compileValidator({ schema, httpPart }: { schema: object; httpPart?: string }) {
  return (given: unknown) => {
    const validate = untilFirst.compile(schema)
    const value = httpPart === 'body' ? given : readIntegers(schema, given as Record<string, unknown>)
    if (validate(value)) return { value }
    const tellAll = isSmall(value) ? untilLast.compile(schema) : undefined
    tellAll?.(value)
    const error = badRequest(...tell((tellAll ?? validate).errors ?? []))
    const rest = httpPart === 'body' && tellAll ? without(value, tellAll.errors ?? []) : undefined
    return { error: new InvalidRequest(error, rest) }
  }
}

/** What the schema finds wrong. Where that is all of it, and in the body, what is left of the body without it. */
export class InvalidRequest extends ApiError {
  readonly rest: unknown

  constructor({ problems }: ApiError, rest: unknown) {
    super(problems)
    this.rest = rest
  }
}

/** Without the members that break the schema, or the members of those; items of arrays keep their places. */
function without(body: unknown, errors: ErrorObject[]): unknown {
  if (errors.some(isOfWhole)) return undefined
  const rest = structuredClone(body as object)
  for (const error of errors) removeAt(rest, placeOf(error))
  return rest
}

const isOfWhole = (error: ErrorObject) => error.keyword !== 'required' && placeOf(error).length === 0

function placeOf({ instancePath, keyword, params }: ErrorObject): string[] {
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

/** Path and query are text: `limit=10` is an integer there. The validator's own conversion takes `1e2`, `0x10` and `+5` as well. */
function readIntegers(schema: object, given: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const read = ([name, value]: [string, unknown]): [string, unknown] =>
    properties[name]?.type === 'integer' && /^\d+$/.test(String(value)) ? [name, Number(value)] : [name, value]
  return Object.fromEntries(Object.entries(given).map(read))
}

const isSmall = (value: unknown) => sizeLeft(value, maxSizeToTellAll) > 0

/** What is left of `size` after this value. It is counted only until nothing is left. */
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

/** One message for each thing wrong, each naming the field and the rule in plain words. */
function tell(errors: ErrorObject[]): string[] {
  const unions = new Set(errors.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/`))
  // What a union's branches say besides the sentence of the whole.
  const isRepeated = ({ schemaPath }: ErrorObject) => unions.values().some((union) => schemaPath.startsWith(union))
  const told = errors.filter((error) => !isRepeated(error)).slice(0, maxProblems)
  return [...new Set(told.map(describe))]
}

function describe(error: ErrorObject): string {
  const path = fieldPath(error.instancePath)
  if (error.keyword === 'required') return `${joined(path, error.params.missingProperty)}: is required`
  if (error.keyword === 'additionalProperties')
    return `${joined(path, error.params.additionalProperty)}: is not a known field`
  const named = (error.parentSchema as { 'x-rule'?: string } | undefined)?.['x-rule']
  if (isOfNoBody(error)) return `body: is required, and ${named ?? `must be a JSON ${error.params.type}`}`
  return `${path || 'body'}: ${named ?? plainWords(error)}`
}

/** The validator is given null where no body came. */
const isOfNoBody = ({ keyword, instancePath, data }: ErrorObject) =>
  keyword === 'type' && instancePath === '' && data === null

function plainWords(error: ErrorObject): string {
  if (error.keyword === 'type') return `must be ${article([error.params.type].flat().join(' or '))}`
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  if (error.keyword === 'const') return `must be ${JSON.stringify(error.params.allowedValue)}`
  if (error.keyword === 'anyOf') return 'does not have an accepted form'
  return error.message ?? 'is not valid'
}

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
 * U+0000 (which PostgreSQL does not store) and lone surrogates (which are no text) are refused everywhere, and so is
 * what is nested without end.
 */
export async function refuseUnstorableText(request: FastifyRequest) {
  const problems: string[] = []
  for (const part of [request.params, request.query, request.body]) findUnstorable(part, [], problems)
  if (problems.length > 0) throw badRequest(...problems)
}

/** `path` leads to the value; it is made into text only where something is wrong. */
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

/** Counts no further than it must: an array of names costs 20 ms more. */
function hasTooManyFields(value: object): boolean {
  let fields = 0
  if (!Array.isArray(value)) for (const _ in value) if (++fields > maxFields) return true
  return false
}

const fieldsRule = `must have at most ${maxFields} fields`
const textRule = 'must not contain U+0000 or lone surrogates'
const depthRule = `must not be nested deeper than ${maxDepth} levels`
const problemAt = (path: (string | number)[], rule: string) => `${toPath(path.map(String)) || 'body'}: ${rule}`
export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')
