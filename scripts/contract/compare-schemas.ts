import type { Bound, Schema } from './document.ts'

/** Whether clients send it or read it: what they send must be taken as before, what they read must be what it was. */
type Direction = 'sent' | 'read'
export type Context = {
  name: string
  direction: Direction
  /** Who sends or reads. */
  whom: string
  schemas: { kept: Record<string, Schema>; now: Record<string, Schema> }
  /** What two references were found to differ in, also while they are being compared: they may refer to themselves. */
  known: Map<string, string[]>
}
type Rule = (kept: Schema, now: Schema, context: Context) => string[]

/** What of the kept schema no longer holds. */
export function compareSchemas(kept: Schema, now: Schema, context: Context): string[] {
  if (kept.$ref === undefined) return compareWhole(kept, resolved(now, context.schemas.now), context)
  const key = `${context.whom} ${context.direction} ${kept.$ref} ${now.$ref ?? context.name}`
  const known = context.known.get(key)
  if (known) return known
  context.known.set(key, [])
  const named = { ...context, name: nameOf(kept.$ref) }
  const found = compareWhole(resolved(kept, context.schemas.kept), resolved(now, context.schemas.now), named)
  context.known.set(key, found)
  return found
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)
const resolved = (schema: Schema, schemas: Record<string, Schema>): Schema =>
  schema.$ref === undefined ? schema : resolved(schemas[nameOf(schema.$ref)] ?? {}, schemas)

function compareWhole(kept: Schema, now: Schema, context: Context): string[] {
  const rules = kept.anyOf || now.anyOf ? [compareTypes, compareForms, compareDefaults] : simpleRules
  return rules.flatMap((rule) => rule(kept, now, context))
}

const broken = ({ name, direction, whom }: Context, what: string) =>
  `${name} ${what}: breaks ${whom} that ${direction === 'sent' ? 'send' : 'read'} it`

const compareTypes: Rule = (kept, now, context) => {
  const [before, after] = [typesOf(kept, context.schemas.kept), typesOf(now, context.schemas.now)]
  const [narrow, wide] = context.direction === 'sent' ? [after, before] : [before, after]
  if (narrow.size === 0) return []
  const lost = wide.difference(narrow)
  if (wide.size > 0 && lost.size === 0) return []
  const words = wide.size > 0 ? [...lost].join(' or ') : `other than ${[...narrow].join(' or ')}`
  return [broken(context, context.direction === 'sent' ? `may not be ${words} any more` : `may be ${words} now`)]
}

/** None: of any type. */
function typesOf(schema: Schema, schemas: Record<string, Schema>): Set<string> {
  const { type, anyOf, ...rest } = resolved(schema, schemas)
  if (anyOf) return typesOfForms(anyOf.map((form) => typesOf(form, schemas)))
  if (type !== undefined) return new Set([type].flat())
  return new Set((rest.enum ?? ('const' in rest ? [rest.const] : [])).map(typeOf))
}

/** One of any type makes the whole so. */
const typesOfForms = (forms: Set<string>[]) =>
  forms.some(({ size }) => size === 0) ? new Set<string>() : new Set(forms.flatMap((types) => [...types]))

const typeOf = (value: unknown) => (value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value)

/** Each form has one that is as it was; a reply need not be null any more. */
const compareForms: Rule = (kept, now, context) => {
  const forms = (kept.anyOf ?? [kept]).filter(({ type }) => type !== 'null' || context.direction === 'sent')
  return forms.flatMap((form) => {
    const found = (now.anyOf ?? [now]).map((each) => compareSchemas(form, each, context))
    return found.reduce((best, each) => (each.length < best.length ? each : best))
  })
}

const compareWords: Rule = (kept, now, context) => {
  const [before, after] = [wordsOf(kept), wordsOf(now)]
  if (!after) return before && context.direction === 'read' ? [broken(context, 'may be any word now')] : []
  if (!before) return context.direction === 'sent' ? [broken(context, `takes only ${after.join(', ')} now`)] : []
  return before.filter((word) => !after.includes(word)).map((word) => broken(context, `has no ${word} any more`))
}

const wordsOf = (schema: Schema) => schema.enum?.map(String) ?? ('const' in schema ? [String(schema.const)] : undefined)

const upper: Bound[] = ['maxLength', 'maxItems', 'maximum']
const lower: Bound[] = ['minLength', 'minItems', 'minimum']

const compareBounds: Rule = (kept, now, context) => {
  if (context.direction === 'read') return []
  const isLower = (bound: Bound) => (now[bound] ?? Infinity) < (kept[bound] ?? Infinity)
  const isHigher = (bound: Bound) => (now[bound] ?? -Infinity) > (kept[bound] ?? -Infinity)
  return [...upper.filter(isLower), ...lower.filter(isHigher)].map((bound) =>
    broken(context, `has ${bound} ${now[bound]} in place of ${kept[bound] ?? 'none'}`),
  )
}

/** Nobody can tell whether one pattern takes all that another takes. */
const comparePatterns: Rule = (kept, now, context) =>
  context.direction === 'sent' && now.pattern !== undefined && now.pattern !== kept.pattern
    ? [broken(context, 'has another pattern')]
    : []

const compareFormats: Rule = (kept, now, context) =>
  (['format', 'contentMediaType'] as const)
    .filter((keyword) => (context.direction === 'sent' ? now : kept)[keyword] !== undefined)
    .filter((keyword) => now[keyword] !== kept[keyword])
    .map((keyword) =>
      broken(context, `has the ${keyword} ${now[keyword] ?? 'none'} in place of ${kept[keyword] ?? 'none'}`),
    )

const compareDefaults: Rule = (kept, now, context) =>
  JSON.stringify(kept.default) === JSON.stringify(now.default) ||
  (kept.default === undefined && context.direction === 'read')
    ? []
    : [broken(context, `has the default ${now.default ?? 'none'} in place of ${kept.default ?? 'none'}`)]

const compareUniqueness: Rule = (kept, now, context) =>
  context.direction === 'sent' && now.uniqueItems && !kept.uniqueItems
    ? [broken(context, 'may not have the same twice any more')]
    : []

const compareMembers: Rule = (kept, now, context) => {
  const { properties: after = {}, required: needed = [] } = now
  const { properties: before = {}, required: promised = [] } = kept
  const member = (name: string) => ({ ...context, name: `${context.name}.${name}` })
  const changed = Object.entries(before).flatMap(([name, schema]) =>
    after[name] ? compareSchemas(schema, after[name], member(name)) : [broken(member(name), 'is gone')],
  )
  const missing = promised.filter((name) => after[name] && !needed.includes(name))
  const demanded = needed.filter((name) => !promised.includes(name))
  return context.direction === 'sent'
    ? [
        ...changed,
        ...demanded.map((name) => `${context.name} needs ${name} now: breaks ${context.whom} that leave it out`),
      ]
    : [...changed, ...missing.map((name) => broken(member(name), 'may be absent now'))]
}

const compareFurtherMembers: Rule = (kept, now, context) => {
  const [before, after] = [kept.additionalProperties ?? true, now.additionalProperties ?? true]
  if (context.direction === 'sent' && before !== false && after === false)
    return [broken(context, 'takes no further members any more')]
  if (before === false || after === false) return []
  return compareIn(schemaOf(before), schemaOf(after), { ...context, name: `${context.name}.*` })
}

const schemaOf = (further: Schema | true) => (further === true ? undefined : further)

const compareParts: Rule = (kept, now, context) => [
  ...compareIn(kept.items, now.items, { ...context, name: `${context.name}[]` }),
  ...compareIn(kept.contentSchema, now.contentSchema, context),
  ...(kept.prefixItems ?? []).flatMap((part, index) =>
    compareIn(part, now.prefixItems?.[index] ?? {}, { ...context, name: `${context.name}[${index}]` }),
  ),
]

const compareIn = (kept: Schema | undefined, now: Schema | undefined, context: Context) =>
  kept || now ? compareSchemas(kept ?? {}, now ?? {}, context) : []

const simpleRules: Rule[] = [
  ...[compareTypes, compareWords, compareBounds, comparePatterns, compareFormats, compareDefaults],
  ...[compareUniqueness, compareMembers, compareFurtherMembers, compareParts],
]
