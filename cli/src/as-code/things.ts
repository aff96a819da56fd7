import type { FieldType } from './field-types.ts'
import type { Members, Reading, Spot } from './reading.ts'
import type { Fields, Section } from './section.ts'
import { triggers } from './webhooks.ts'

/** A thing as the file has it. `hidden`: members with a variable, whose values are not shown. */
export type Wanted = {
  fields: Fields
  hidden: ReadonlySet<string>
  spot: Spot
  /** A problem of this member, or of the whole thing. */
  refuse: (member: string | undefined, rule: string) => void
  /** Of a webhook; undefined where the file does not manage them. */
  triggers?: Wanted[] | undefined
}

type Shape = Pick<Section, 'types' | 'required' | 'check'> & { name?: Section['name'] }

/** Undefined where the file does not have the list. */
export function readThings(
  reading: Reading,
  list: Spot | undefined,
  shape: Shape & Pick<Section, 'keyOf'>,
): Wanted[] | undefined {
  const items = list && reading.list(list)
  const things = items?.map((item) => readThing(reading, item, shape))
  const read = things?.filter((thing) => thing !== undefined)
  refuseRepetition(read ?? [], shape.keyOf)
  return read
}

export function readThing(reading: Reading, spot: Spot, shape: Shape): Wanted | undefined {
  const { types, required, check, name } = shape
  const found = reading.members(spot, [...Object.keys(types), ...(name === 'webhooks' ? ['triggers'] : [])])
  if (!found) return undefined
  const { fields, hidden } = readFields(reading, found, types)
  const refuse: Wanted['refuse'] = (member, rule) => {
    const node = (member && found.get(member)?.node) || spot.node
    reading.refuse({ node, path: member ? `${spot.path}.${member}` : spot.path }, rule)
  }
  for (const member of required) if (!found.has(member)) refuse(member, 'is required')
  for (const [member, rule] of check?.(fields) ?? []) refuse(member, rule)
  return { fields, hidden, spot, refuse, triggers: readThings(reading, found.get('triggers'), triggers) }
}

function readFields(reading: Reading, found: Members, types: Record<string, FieldType>) {
  const fields: Fields = {}
  const hidden = new Set<string>()
  for (const [name, type] of Object.entries(types)) {
    const member = found.get(name)
    const before = reading.countVariables()
    const value = member && type.read(reading, member)
    if (value !== undefined) fields[name] = value
    if (reading.countVariables() > before) hidden.add(name)
  }
  return { fields, hidden }
}

function refuseRepetition(things: Wanted[], keyOf: (fields: Fields) => string) {
  const seen = new Map<string, Wanted>()
  for (const thing of things) {
    const first = seen.get(keyOf(thing.fields))
    if (first) thing.refuse(undefined, `is the same as ${first.spot.path}`)
    seen.set(keyOf(thing.fields), thing)
  }
}
