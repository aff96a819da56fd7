import type { Signet } from '@signet/management'
import type { FieldType } from './field-types.ts'

export type Fields = Record<string, unknown>
/** A thing of the service; `id` is what its operations take. */
export type Present = { id: string; fields: Fields }
/** What creating or changing a thing gave: a secret is shown by the service only this once. */
export type Made = { id: string; clientSecret?: string | undefined }

/** A list of the file, and the operations of its things. */
export type Section = {
  name: 'groups' | 'webhooks' | 'credentials' | 'applications'
  /** One of its things, for people. */
  noun: string
  types: Record<string, FieldType>
  required: string[]
  /** Fields that cannot be changed. */
  fixed: string[]
  /** Fields whose values are never shown. */
  secret: string[]
  /** The field by which people know a thing. */
  title: string
  /** A field that the service takes and never gives back; `create` needs it. */
  writeOnly?: string
  /** A field that the service alone decides. */
  madeByService?: string
  /** What tells a thing of the file from others. */
  keyOf: (fields: Fields) => string
  /** The keys by which a thing of the service is found; by default the one of `keyOf`. */
  keysOf?: (fields: Fields) => string[]
  /** A rule of the whole thing: the member that breaks it, and the rule. */
  check?: (fields: Fields) => [member: string, rule: string][]
  list: (signet: Signet) => Promise<Present[]>
  /** What `list` does not give of a thing. */
  details?: (signet: Signet, present: Present) => Promise<Fields>
  create: (signet: Signet, fields: Fields) => Promise<Made>
  change: (signet: Signet, present: Present, fields: Fields) => Promise<Made>
  remove: (signet: Signet, present: Present) => Promise<unknown>
}

export const pick = (record: object, names: string[]): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name, value]) => names.includes(name) && value !== undefined))
