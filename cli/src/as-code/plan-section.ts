import type { Signet } from '@signet/management'
import { bodyOf, type Change, differingFields, type FieldChange, type PlanOptions } from './change.ts'
import { inParallel } from './in-parallel.ts'
import { createNested, type Parent, planNested } from './plan-nested.ts'
import type { Desired } from './resources.ts'
import { type Actual, pick, type Section } from './section.ts'
import { requireSet, withoutUnset } from './unset-secrets.ts'

type Planned = {
  options: PlanOptions
  /** What lists that come earlier in the file need. */
  earlier: Change[]
}

/** What a list of the file needs, in its order, and then the deletions. */
export async function planSection(signet: Signet, section: Section, desired: Desired[], { options, earlier }: Planned) {
  const actuals = (await section.list(signet)).map((actual) => asLeftBy(earlier, section, actual))
  const pairs = findPairs(section, actuals, desired)
  const changes = await inParallel(pairs, ([resource, actual]) => {
    const planning = { signet, section, resource, options }
    return actual ? planActual(planning, actual) : planNew(planning)
  })
  const kept = new Set(pairs.map(([, actual]) => actual))
  const gone = options.prune ? actuals.filter((actual) => !kept.has(actual)) : []
  return [...changes.flat(), ...gone.map((actual) => deletion(signet, section, actual))]
}

const pointing = /^options\.\w+\.(tenant|organization_url|issuer)$/

/** Whoever points a credential elsewhere takes it from what refers to it, so the plan names it there again. */
function asLeftBy(earlier: Change[], { refersTo }: Section, actual: Actual): Actual {
  if (!refersTo) return actual
  const isTaken = earlier.some(
    ({ kind, name, fields }) =>
      kind === 'credential' && name === actual.fields[refersTo] && fields.some(({ field }) => pointing.test(field)),
  )
  return isTaken ? { ...actual, fields: { ...actual.fields, [refersTo]: null } } : actual
}

type Planning = { signet: Signet; section: Section; resource: Desired; options: PlanOptions }

function findPairs(section: Section, actuals: Actual[], desired: Desired[]): [Desired, Actual | undefined][] {
  const byKey = new Map<string, Actual[]>()
  for (const actual of actuals)
    for (const key of keysOf(section, actual)) byKey.set(key, [...(byKey.get(key) ?? []), actual])
  const taken = new Set<Actual>()
  return desired.map((resource) => {
    const [actual, another] = byKey.get(section.keyOf(resource.fields)) ?? []
    if (another)
      resource.refuse('name', `several have this name: give the ${section.computed} of the one that is meant`)
    if (actual && taken.has(actual))
      resource.refuse(undefined, `is the ${section.noun} ${actual.id}, as another of the list`)
    if (actual) taken.add(actual)
    return [resource, actual]
  })
}

const keysOf = ({ keysOf, keyOf }: Section, { fields }: Actual) => keysOf?.(fields) ?? [keyOf(fields)]

async function planNew({ signet, section, resource }: Planning): Promise<Change[]> {
  const { writeOnly, computed } = section
  if (writeOnly && resource.fields[writeOnly] === undefined)
    resource.refuse(writeOnly, `is required: the ${section.noun} is new`)
  if (computed && resource.fields[computed] !== undefined)
    resource.refuse(computed, `there is no such ${section.noun}, and that of a new one is made by the service`)
  requireSet(resource.fields)
  const created = { id: '' }
  const creation: Change = {
    action: 'create',
    kind: section.noun,
    name: nameOf(section, resource.fields),
    fields: shownFields(section, resource),
    check: {
      send: (more) => section.create(signet, { ...without(section.refersTo, resource.fields), ...more }),
      refuse: resource.refuse,
    },
    run: async () => Object.assign(created, await section.create(signet, resource.fields)),
  }
  return [creation, ...createList({ signet, section, resource }, () => created.id)]
}

function createList({ signet, section, resource }: Omit<Planning, 'options'>, id: () => string): Change[] {
  const { nested } = section
  return nested ? createNested({ signet, nested, parent: parentOf(section, resource, id) }, resource.nested ?? []) : []
}

function shownFields({ secret }: Section, { fields, hidden }: Desired): FieldChange[] {
  const isHidden = (field: string) => secret.includes(field) || hidden.has(field)
  return Object.entries(fields).map(([field, after]) => ({ field, after, isHidden: isHidden(field) }))
}

async function planActual({ signet, section, resource, options }: Planning, actual: Actual): Promise<Change[]> {
  const known = await withDetails(signet, section, actual, resource)
  refuseWhatCannotBe(section, known, resource)
  const written = options.updateSecrets ? resource.fields : without(section.writeOnly, resource.fields)
  const named = withoutUnset(known.fields, written)
  const fields = differingFields(known.fields, { ...resource, fields: named }, section)
  const change: Change = {
    action: 'change',
    kind: section.noun,
    name: nameOf(section, resource.fields),
    fields,
    check: {
      send: (more) => section.change(signet, known, { ...without(section.refersTo, bodyOf(fields)), ...more }),
      refuse: resource.refuse,
    },
    run: () => section.change(signet, known, bodyOf(fields)),
  }
  return [...(fields.length > 0 ? [change] : []), ...(await planList({ signet, section, resource, options }, known))]
}

async function planList({ signet, section, resource, options }: Planning, actual: Actual): Promise<Change[]> {
  if (!section.nested || !resource.nested) return []
  const parent = parentOf(section, resource, () => actual.id)
  return planNested({ signet, nested: section.nested, parent }, actual, resource.nested, options)
}

const parentOf = (section: Section, { fields }: Desired, id: () => string): Parent => ({
  noun: section.noun,
  name: nameOf(section, fields),
  id,
})

const without = (name: string | undefined, fields: object) =>
  pick(
    fields,
    Object.keys(fields).filter((field) => field !== name),
  )

async function withDetails(signet: Signet, { details, types }: Section, actual: Actual, { fields }: Desired) {
  const isKnown = Object.keys(fields).every((name) => !Object.hasOwn(types, name) || Object.hasOwn(actual.fields, name))
  if (!details || isKnown) return actual
  return { ...actual, fields: { ...actual.fields, ...(await details(signet, actual)) } }
}

/** A field that the key does not see cannot be compared: taken for absent, it would be written each time. */
function refuseWhatCannotBe(section: Section, { fields }: Actual, resource: Desired) {
  for (const [name, value] of Object.entries(resource.fields)) {
    if (name !== section.writeOnly && fields[name] === undefined)
      resource.refuse(name, 'the API key may not see it, so it cannot be compared; an admin key may')
    else if (section.immutable.includes(name) && fields[name] !== value)
      resource.refuse(name, `cannot be changed: the ${section.noun} has ${fields[name]}; delete it first`)
  }
}

const deletion = (signet: Signet, section: Section, actual: Actual): Change => ({
  action: 'delete',
  kind: section.noun,
  name: nameOf(section, actual.fields),
  fields: [],
  run: async () => {
    await section.remove(signet, actual)
    return undefined
  },
})

const nameOf = ({ title }: Section, fields: Record<string, unknown>) => String(fields[title])
