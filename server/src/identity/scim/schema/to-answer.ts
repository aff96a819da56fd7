import { type Attribute, commonAttributes, type Resource, type ResourceSchema } from './attributes.ts'

/**
 * Which attributes an answer has, by `attributes` and `excludedAttributes`: canonical paths. `asked` is undefined where all are that are
 * returned by default.
 */
export type Projection = { asked: ReadonlySet<string> | undefined; excluded: ReadonlySet<string> }

/** Whether an answer has this attribute of the resource's own schema at all: what is not wanted need not be loaded. */
export const isWanted = ({ asked, excluded }: Projection, attribute: string): boolean =>
  !excluded.has(attribute) && (!asked || asked.has(attribute) || someWithin(asked, `${attribute}.`))

const someWithin = (paths: ReadonlySet<string>, prefix: string) =>
  paths.values().some((path) => path.startsWith(prefix))

type Stored = { id: string; created_at: Date; updated_at: Date; version: number }
type Meta = { resourceType: string; created: string; lastModified: string; location: string; version: string }

/** `meta` of a stored resource. `scimUrl`: that of the call. */
export const toMeta = ({ name, endpoint }: ResourceSchema, scimUrl: string, stored: Stored): Meta => ({
  resourceType: name,
  created: stored.created_at.toISOString(),
  lastModified: stored.updated_at.toISOString(),
  location: `${scimUrl}${endpoint}/${stored.id}`,
  version: toEntityTag(stored.version),
})

export const toEntityTag = (version: number) => `W/"${version}"`

/** Has `schemas` and the order of the schema. `resource` needs `id` and `meta`. */
export function toAnswer(schema: ResourceSchema, resource: Resource, projection: Projection): object {
  const present = schema.extensions.filter(({ id }) => resource[id] !== undefined)
  const [id, externalId, meta] = commonAttributes as [Attribute, Attribute, Attribute]
  const answer: Resource = { schemas: [schema.id, ...present.map((extension) => extension.id)] }
  show([id, externalId, ...schema.attributes], { from: resource, to: answer, before: '' }, projection)
  for (const extension of present) {
    const own = {}
    const from = resource[extension.id] as Resource
    show(extension.attributes, { from, to: own, before: `${extension.id}:` }, ofExtension(projection, extension.id))
    if (Object.keys(own).length > 0) answer[extension.id] = own
  }
  show([meta], { from: resource, to: answer, before: '' }, projection)
  return answer
}

/** An extension may be named as a whole. */
function ofExtension({ asked, excluded }: Projection, urn: string): Projection {
  if (excluded.has(urn)) return { asked: new Set(), excluded }
  return asked?.has(urn) ? { asked: undefined, excluded } : { asked, excluded }
}

type Showing = { from: Resource; to: Resource; before: string }

function show(attributes: Attribute[], { from, to, before }: Showing, projection: Projection) {
  for (const attribute of attributes) {
    const { name, returned, subAttributes } = attribute
    const value = from[name]
    const path = before + name
    if (value === undefined || returned === 'never') continue
    if (returned !== 'always' && !isWanted(projection, path)) continue
    to[name] = subAttributes ? showParts(value, `${path}.`, path, projection) : value
  }
}

/** The parts that are wanted of a complex value, or of each of several. */
function showParts(value: unknown, within: string, path: string, { asked, excluded }: Projection): unknown {
  const isWhole = !asked || asked.has(path)
  if (isWhole && !someWithin(excluded, within)) return value
  const isShown = (name: string) => !excluded.has(within + name) && (isWhole || asked.has(within + name))
  const partsOf = (one: unknown) => Object.fromEntries(Object.entries(one as object).filter(([name]) => isShown(name)))
  return Array.isArray(value) ? value.map(partsOf) : partsOf(value)
}
