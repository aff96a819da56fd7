import type { Signet } from '@signet/management'
import { bodyOf, type Change, differingFields, type FieldChange, type PlanOptions } from './change.ts'
import { inParallel } from './in-parallel.ts'
import { createTriggers, planTriggers } from './plan-triggers.ts'
import { type Present, pick, type Section } from './section.ts'
import type { Wanted } from './things.ts'

/** What a list of the file needs, in its order, and then the deletions. */
export async function planSection(signet: Signet, section: Section, wanted: Wanted[], options: PlanOptions) {
  const presents = await section.list(signet)
  const pairs = findPairs(section, presents, wanted)
  const changes = await inParallel(pairs, ([thing, present]) => {
    const planning = { signet, section, thing, options }
    return present ? planPresent(planning, present) : planNew(planning)
  })
  const kept = new Set(pairs.map(([, present]) => present))
  const gone = options.prune ? presents.filter((present) => !kept.has(present)) : []
  return [...changes.flat(), ...gone.map((present) => deletion(signet, section, present))]
}

type Planning = { signet: Signet; section: Section; thing: Wanted; options: PlanOptions }

function findPairs(section: Section, presents: Present[], wanted: Wanted[]): [Wanted, Present | undefined][] {
  const byKey = new Map<string, Present[]>()
  for (const present of presents)
    for (const key of keysOf(section, present)) byKey.set(key, [...(byKey.get(key) ?? []), present])
  const taken = new Set<Present>()
  return wanted.map((thing) => {
    const [present, another] = byKey.get(section.keyOf(thing.fields)) ?? []
    if (another) thing.refuse('name', 'several have this name: give the client_id of the one that is meant')
    if (present && taken.has(present))
      thing.refuse(undefined, `is the ${section.noun} ${present.id}, as another of the list`)
    if (present) taken.add(present)
    return [thing, present]
  })
}

const keysOf = ({ keysOf, keyOf }: Section, { fields }: Present) => keysOf?.(fields) ?? [keyOf(fields)]

async function planNew({ signet, section, thing }: Planning): Promise<Change[]> {
  const { writeOnly, madeByService } = section
  if (writeOnly && thing.fields[writeOnly] === undefined)
    thing.refuse(writeOnly, `is required: the ${section.noun} is new`)
  if (madeByService && thing.fields[madeByService] !== undefined)
    thing.refuse(madeByService, `there is no such ${section.noun}, and that of a new one is made by the service`)
  const made = { id: '' }
  const creation: Change = {
    action: 'create',
    kind: section.noun,
    name: nameOf(section, thing.fields),
    fields: shownFields(section, thing),
    run: async () => Object.assign(made, await section.create(signet, thing.fields)),
  }
  return [creation, ...createTriggers(signet, thing, () => made.id)]
}

function shownFields({ secret }: Section, { fields, hidden }: Wanted): FieldChange[] {
  const isHidden = (field: string) => secret.includes(field) || hidden.has(field)
  return Object.entries(fields).map(([field, after]) => ({ field, after, isHidden: isHidden(field) }))
}

async function planPresent({ signet, section, thing, options }: Planning, present: Present): Promise<Change[]> {
  const known = await withDetails(signet, section, present, thing)
  refuseWhatCannotBe(section, known, thing)
  const named = options.updateSecrets ? thing.fields : without(section.writeOnly, thing.fields)
  const fields = differingFields(known.fields, { ...thing, fields: named }, section)
  const change: Change = {
    action: 'change',
    kind: section.noun,
    name: nameOf(section, thing.fields),
    fields,
    run: () => section.change(signet, known, bodyOf(fields)),
  }
  const triggers = await planTriggers(signet, known, thing, options)
  return [...(fields.length > 0 ? [change] : []), ...triggers]
}

const without = (name: string | undefined, fields: object) =>
  pick(
    fields,
    Object.keys(fields).filter((field) => field !== name),
  )

async function withDetails(signet: Signet, { details, types }: Section, present: Present, { fields }: Wanted) {
  const isKnown = Object.keys(fields).every(
    (name) => !Object.hasOwn(types, name) || Object.hasOwn(present.fields, name),
  )
  if (!details || isKnown) return present
  return { ...present, fields: { ...present.fields, ...(await details(signet, present)) } }
}

/** A field that the key does not see cannot be compared: taken for absent, it would be written each time. */
function refuseWhatCannotBe(section: Section, { fields }: Present, thing: Wanted) {
  for (const [name, value] of Object.entries(thing.fields)) {
    if (name !== section.writeOnly && fields[name] === undefined)
      thing.refuse(name, 'the API key may not see it, so it cannot be compared; an admin key may')
    else if (section.fixed.includes(name) && fields[name] !== value)
      thing.refuse(name, `cannot be changed: the ${section.noun} has ${fields[name]}; delete it first`)
  }
}

const deletion = (signet: Signet, section: Section, present: Present): Change => ({
  action: 'delete',
  kind: section.noun,
  name: nameOf(section, present.fields),
  fields: [],
  run: async () => {
    await section.remove(signet, present)
    return undefined
  },
})

const nameOf = ({ title }: Section, fields: Record<string, unknown>) => String(fields[title])
