import { isDeepStrictEqual } from 'node:util'
import type { FieldType } from './field-types.ts'
import type { Desired } from './resources.ts'
import type { Fields, Outcome } from './section.ts'

/** What a field is now and what it becomes; of one that is hidden, only that it does. */
export type FieldChange = { field: string; before?: unknown; after?: unknown; isHidden: boolean }

export type PlanOptions = {
  /** What the lists of the file do not have is deleted. */
  prune: boolean
  /** Secrets of credentials that exist already are written again. */
  updateSecrets: boolean
}

/** How the service is asked what it would say to a change: its request with one field more, and where the answer belongs in the file. */
export type Check = { send: (more: Fields) => Promise<unknown>; refuse: Desired['refuse'] }

/** One step of a plan. */
export type Change = {
  action: 'create' | 'change' | 'delete'
  kind: string
  /** What it is about, as the file names it; the settings have no name. */
  name?: string
  /** The resource within whose list it is. */
  parent?: { noun: string; name: string }
  fields: FieldChange[]
  /** Absent where nothing is sent that the service could refuse for its form. */
  check?: Check
  run: () => Promise<Outcome | undefined>
}

type Comparison = { types: Record<string, FieldType>; secret?: string[] }

/** The fields that the file names and the service has otherwise. */
export function differingFields(before: Fields, desired: Desired, { types, secret = [] }: Comparison): FieldChange[] {
  return Object.entries(desired.fields).flatMap(([field, after]) => {
    const isHidden = secret.includes(field) || desired.hidden.has(field)
    if (field === 'options') return differingOptions(before.options, after, isHidden)
    if (isSame(types[field], before[field], after)) return []
    return [{ field, before: before[field], after, isHidden }]
  })
}

function isSame(type: FieldType | undefined, before: unknown, after: unknown): boolean {
  const normalize = (type?.normalize ?? ((value: unknown) => value)) as (value: unknown) => unknown
  return before !== undefined && isDeepStrictEqual(normalize(before), normalize(after))
}

type Options = Record<string, Fields>

/** An option that the file does not name stays, as a field does. */
function differingOptions(before: unknown, after: unknown, isHidden: boolean): FieldChange[] {
  const now = (before ?? {}) as Options
  return Object.entries(after as Options).flatMap(([provider, desired]) =>
    Object.entries(desired)
      .filter(([name, value]) => !isDeepStrictEqual(now[provider]?.[name], value))
      .map(([name, value]) => ({
        field: `options.${provider}.${name}`,
        before: now[provider]?.[name],
        after: value,
        isHidden,
      })),
  )
}

/** What a change of these fields sends. */
export function bodyOf(changes: FieldChange[]): Fields {
  const body: Fields = {}
  for (const { field, after } of changes) {
    const [name = '', provider, option] = field.split('.')
    if (!provider || !option) body[name] = after
    else {
      const options = (body[name] ?? {}) as Options
      body[name] = { ...options, [provider]: { ...options[provider], [option]: after } }
    }
  }
  return body
}
