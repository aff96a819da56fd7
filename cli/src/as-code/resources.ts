import type { FieldType } from './field-types.ts'
import type { Location, Members, Reading } from './reading.ts'
import type { Fields, Nested, Shape } from './section.ts'

/** A resource as the file has it. `hidden`: members with a variable, whose values are not shown. */
export type Desired = {
  fields: Fields
  hidden: ReadonlySet<string>
  location: Location
  /** A problem of this member, or of the whole resource. */
  refuse: (member: string | undefined, rule: string) => void
  /** The list within it; undefined where the file does not manage that. */
  nested?: Desired[] | undefined
}

type ShapeOfOne = Omit<Shape, 'keyOf'> & { nested?: Nested }

/** Undefined where the file does not have the list. */
export function readResources(
  reading: Reading,
  list: Location | undefined,
  shape: Shape & { nested?: Nested },
): Desired[] | undefined {
  const items = list && reading.list(list)
  const resources = items?.map((item) => readResource(reading, item, shape))
  const read = resources?.filter((resource) => resource !== undefined)
  refuseRepetition(read ?? [], shape.keyOf)
  return read
}

export function readResource(reading: Reading, location: Location, shape: ShapeOfOne): Desired | undefined {
  const { types, required, check, nested } = shape
  const found = reading.members(location, [...Object.keys(types), ...(nested ? [nested.name] : [])])
  if (!found) return undefined
  const { fields, hidden } = readFields(reading, found, types)
  const refuse: Desired['refuse'] = (member, rule) => {
    const node = (member && found.get(member)?.node) || location.node
    reading.refuse({ node, path: member ? `${location.path}.${member}` : location.path }, rule)
  }
  for (const member of required) if (!found.has(member)) refuse(member, 'is required')
  for (const [member, rule] of check?.(fields) ?? []) refuse(member, rule)
  const list = nested && readResources(reading, found.get(nested.name), nested)
  return { fields, hidden, location, refuse, nested: list }
}

function readFields(reading: Reading, found: Members, types: Record<string, FieldType>) {
  const fields: Fields = {}
  const hidden = new Set<string>()
  for (const [name, type] of Object.entries(types)) {
    const member = found.get(name)
    const before = reading.variables
    const value = member && type.read(reading, member)
    if (value !== undefined) fields[name] = value
    if (reading.variables > before) hidden.add(name)
  }
  return { fields, hidden }
}

function refuseRepetition(resources: Desired[], keyOf: (fields: Fields) => string) {
  const seen = new Map<string, Desired>()
  for (const resource of resources) {
    const first = seen.get(keyOf(resource.fields))
    if (first) resource.refuse(undefined, `is the same as ${first.location.path}`)
    seen.set(keyOf(resource.fields), resource)
  }
}
