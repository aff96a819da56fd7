import { Ajv, type ErrorObject } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { badRequest } from '../errors.ts'

/** A body can break a rule a thousand times; so many are told. */
const maxProblems = 50

const common = { allErrors: true, useDefaults: true, verbose: true, removeAdditional: false } as const
const strict = withVocabulary(new Ajv({ ...common, coerceTypes: false }))
/** Path and query are text: `limit=10` is an integer there. */
const textual = withVocabulary(new Ajv({ ...common, coerceTypes: true }))

function withVocabulary(ajv: Ajv): Ajv {
  ajv.addKeyword('x-rule')
  ajv.addFormat('date-time', isTimestamp)
  return ajv
}

const timestampForm = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/** RFC 3339, without leap seconds. `Date` alone would take the 31st of February for a day in March. */
function isTimestamp(text: string): boolean {
  const day = new Date(timestampForm.exec(text)?.[1] ?? '')
  return !Number.isNaN(day.getTime()) && text.startsWith(day.toISOString().slice(0, 10))
}

export function compileValidator({ schema, httpPart }: { schema: object; httpPart?: string }) {
  const validate = (httpPart === 'body' ? strict : textual).compile(schema)
  return (value: unknown) => {
    if (validate(value)) return { value }
    return { error: badRequest(...tell(validate.errors ?? [])) }
  }
}

/** One message for each thing wrong, each naming the field and the rule in plain words. */
function tell(errors: ErrorObject[]): string[] {
  const messages = errors.filter((error) => !isRepeated(error, errors)).map(describe)
  return [...new Set(messages)].slice(0, maxProblems)
}

/** What a union's branches say besides the sentence of the whole. */
function isRepeated(error: ErrorObject, errors: ErrorObject[]): boolean {
  return errors.some(
    (other) => other !== error && other.keyword === 'anyOf' && error.schemaPath.startsWith(`${other.schemaPath}/`),
  )
}

function describe(error: ErrorObject): string {
  const path = fieldPath(error.instancePath)
  if (error.keyword === 'required') return `${joined(path, error.params.missingProperty)}: is required`
  if (error.keyword === 'additionalProperties')
    return `${joined(path, error.params.additionalProperty)}: is not a known field`
  const named = (error.parentSchema as { 'x-rule'?: string } | undefined)?.['x-rule']
  return `${path || 'body'}: ${named ?? plainWords(error)}`
}

function plainWords(error: ErrorObject): string {
  if (error.keyword === 'type') return `must be ${article([error.params.type].flat().join(' or '))}`
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  if (error.keyword === 'const') return `must be ${JSON.stringify(error.params.allowedValue)}`
  if (error.keyword === 'anyOf') return 'does not have an accepted form'
  return error.message ?? 'is not valid'
}

const article = (noun: string) => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`)
const joined = (path: string, name: string) => (path ? `${path}.${name}` : name)

/** `/handles/0/value` → `handles[0].value`. */
function fieldPath(pointer: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : joined(path, part)), '')
}

/** U+0000 (which PostgreSQL does not store) and lone surrogates (which are no text) are refused everywhere. */
export async function refuseUnstorableText(request: FastifyRequest) {
  const problems = [request.params, request.query, request.body].flatMap((part) => unstorable(part, ''))
  if (problems.length > 0) throw badRequest(...problems.slice(0, maxProblems))
}

function unstorable(value: unknown, path: string): string[] {
  if (typeof value === 'string')
    return isStorable(value) ? [] : [`${path || 'body'}: must not contain U+0000 or lone surrogates`]
  if (Array.isArray(value)) return value.flatMap((item, index) => unstorable(item, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) =>
    isStorable(name)
      ? unstorable(item, joined(path, name))
      : [`${path || 'body'}: a field name must not contain U+0000 or lone surrogates`],
  )
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')
