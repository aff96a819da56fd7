import { invalidPath } from '../errors.ts'
import { type Attribute, commonAttributes, type ResourceSchema, type Schema } from './attributes.ts'

/** What a filter or a change names. `extension`: the URN that it belongs to. */
export type KnownPath = { extension?: string; attribute: Attribute; sub?: Attribute }

/** `attribute` is undefined where the name is legal and nobody knows it. */
export type Path = KnownPath | { attribute: undefined }

const legalName = /^[a-z$_][\w$-]*$/i

export const isLegalName = (name: string) => legalName.test(name)

/** They are no attributes anywhere, and would reach what all objects share. */
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype'])

export function refuseForbidden(name: string) {
  if (forbiddenNames.has(name.toLowerCase())) throw invalidPath(`${name}: must not be the name of an attribute`)
}

const tables = new WeakMap<Attribute[], Map<string, Attribute>>()

/** The attribute of that name, whatever the case of its letters. */
export function attributeIn(attributes: Attribute[], name: string): Attribute | undefined {
  let table = tables.get(attributes)
  if (!table) {
    table = new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]))
    tables.set(attributes, table)
  }
  return table.get(name.toLowerCase())
}

const wholes = new WeakMap<ResourceSchema, Attribute[]>()

/** With those that every resource has. */
export function attributesOf(schema: ResourceSchema): Attribute[] {
  const whole = wholes.get(schema) ?? [...commonAttributes, ...schema.attributes]
  wholes.set(schema, whole)
  return whole
}

/** The schema whose URN this is: the resource's own, or an extension. */
export const schemaNamed = (schema: ResourceSchema, urn: string): Schema | undefined =>
  [schema, ...schema.extensions].find(({ id }) => id.toLowerCase() === urn.toLowerCase())

/** Reads `name`, `name.sub` and both behind a URN. Undefined: it is none of these. */
export function toPath(schema: ResourceSchema, text: string): Path | undefined {
  const { owner, rest } = splitUrn(schema, text)
  const names = rest.split('.')
  if (names.length > 2 || !names.every(isLegalName)) return undefined
  const [name = '', subName] = names
  const attribute = owner && attributeIn(owner === schema ? attributesOf(schema) : owner.attributes, name)
  if (!attribute) return { attribute: undefined }
  const of = owner === schema ? { attribute } : { extension: owner.id, attribute }
  if (subName === undefined) return of
  const sub = attributeIn(attribute.subAttributes ?? [], subName)
  return sub ? { ...of, sub } : { attribute: undefined }
}

/** `owner` is undefined where the URN is none of ours. */
function splitUrn(schema: ResourceSchema, text: string): { owner: Schema | undefined; rest: string } {
  if (!/^urn:/i.test(text)) return { owner: schema, rest: text }
  const known = [schema, ...schema.extensions].find(({ id }) => text.toLowerCase().startsWith(`${id.toLowerCase()}:`))
  return known
    ? { owner: known, rest: text.slice(known.id.length + 1) }
    : { owner: undefined, rest: text.slice(text.lastIndexOf(':') + 1) }
}

/** Canonical: `emails.value`, `urn:…:User:manager`. */
export const nameOf = ({ extension, attribute, sub }: KnownPath) =>
  `${extension ? `${extension}:` : ''}${attribute.name}${sub ? `.${sub.name}` : ''}`
