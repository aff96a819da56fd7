import type { Signet } from '@signet/management'
import type { FieldType } from './field-types.ts'

export type Fields = Record<string, unknown>
/** A resource as the service has it; `id` is what its operations take. */
export type Actual = { id: string; fields: Fields }
/** What creating or changing a resource gave: a secret is shown by the service only this once. */
export type Outcome = { id: string; clientSecret?: string | undefined }

/** How resources of one kind are read from the file. */
export type Shape = {
  types: Record<string, FieldType>
  required: string[]
  /** What tells a resource of the file from others. */
  keyOf: (fields: Fields) => string
  /** A rule of the whole resource: the member that breaks it, and the rule. */
  check?: (fields: Fields) => [member: string, rule: string][]
}

/** A list within each resource of a section. Its items have no ID and cannot be changed: one that differs is made anew. */
export type Nested = Shape & {
  name: 'triggers'
  noun: string
  title: string
  list: (signet: Signet, parentId: string) => Promise<Fields[]>
  create: (signet: Signet, parentId: string, fields: Fields) => Promise<unknown>
  remove: (signet: Signet, parentId: string, fields: Fields) => Promise<unknown>
}

/** Gives a variable for a value: `about` tells people what it stands for, `words` make its name. */
export type MakeVariable = (about: string, ...words: string[]) => string

/** A list of the file, and the operations of its resources. */
export type Section = Shape & {
  name: 'groups' | 'webhooks' | 'credentials' | 'directories' | 'resources' | 'applications'
  /** One of its resources, for people. */
  noun: string
  /** Fields that cannot be changed. */
  immutable: string[]
  /** Fields whose values are never shown. */
  secret: string[]
  /** The field by which people know a resource. */
  title: string
  /** A field that the service takes and never gives back; `create` needs it. */
  writeOnly?: string
  /** A field that the service alone decides. */
  computed?: string
  /** A field that names what an earlier list of the file may make: the service is not asked beforehand whether that is there. */
  refersTo?: string
  /** The keys by which a resource of the service is found; by default the one of `keyOf`. */
  keysOf?: (fields: Fields) => string[]
  nested?: Nested
  list: (signet: Signet) => Promise<Actual[]>
  /** What `list` does not give of a resource. */
  details?: (signet: Signet, actual: Actual) => Promise<Fields>
  /** The fields for a file, with variables where there are secrets. */
  conceal?: (fields: Fields, actual: Actual, makeVariable: MakeVariable) => Fields
  create: (signet: Signet, fields: Fields) => Promise<Outcome>
  change: (signet: Signet, actual: Actual, fields: Fields) => Promise<Outcome>
  remove: (signet: Signet, actual: Actual) => Promise<unknown>
}

export const pick = (record: object, names: string[]): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name, value]) => names.includes(name) && value !== undefined))
