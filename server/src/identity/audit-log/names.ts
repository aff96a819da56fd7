import type { Queries } from '../../ground/database/database.ts'
import type { Target } from '../../ground/http/chain/recorded-change.ts'
import type { Entry } from './entry-store.ts'

/** What things with these ids are called now, by one statement. Those that are gone, or have no name, are absent. */
type FindNames = (queries: Queries, organizationId: string, ids: readonly string[]) => Promise<Map<string, string>>

/** Kinds of things of which an entry need not say the name. */
const lookedUp = ['person', 'webhook', 'application', 'oidc_credential', 'api_key'] as const
type LookedUp = (typeof lookedUp)[number]
export type NamesOf = Record<LookedUp, FindNames>
export type Names = Record<LookedUp, Map<string, string>>

/** The member of an entry's sides that says what its target was called then. */
const nameMembers: Partial<Record<Target['type'], string>> = {
  api_key: 'name',
  application: 'name',
  console_invitation: 'group',
  credential_link: 'label',
  directory: 'name',
  directory_link: 'name',
  directory_token: 'name',
  oidc_credential: 'label',
  organization: 'name',
  resource: 'name',
  webhook: 'name',
}

/** What is named for a target without a name of its own: the member of an entry's sides with the id, and what it is the id of. */
const owners: Partial<Record<Target['type'], [string, LookedUp][]>> = {
  identity: [['person_id', 'person']],
  person_session: [['person_id', 'person']],
  delivery: [
    ['webhook_id', 'webhook'],
    ['client_id', 'application'],
  ],
}

type Thing = { kind: LookedUp; id: string }

/** At most one statement for each kind of thing, whatever there is on the page. */
export async function findNames(
  queries: Queries,
  organizationId: string,
  entries: Entry[],
  { namesOf, mayNamePersons }: { namesOf: NamesOf; mayNamePersons: boolean },
): Promise<Names> {
  const things = entries.flatMap((entry) => [actingPerson(entry), namedLater(entry)])
  const find = async (kind: LookedUp) => {
    const ids = new Set(things.flatMap((thing) => (thing?.kind === kind ? [thing.id] : [])))
    if (ids.size === 0 || (kind === 'person' && !mayNamePersons)) return new Map<string, string>()
    return namesOf[kind](queries, organizationId, [...ids])
  }
  const found = await Promise.all(lookedUp.map(async (kind) => [kind, await find(kind)]))
  return Object.fromEntries(found)
}

export const nameOfActor = (entry: Entry, names: Names): string | null =>
  entry.actor.type === 'person' ? (nameOf(actingPerson(entry), names) ?? null) : entry.actor.name

export const nameOfTarget = (entry: Entry, names: Names): string | undefined =>
  namedThen(entry) ?? nameOf(namedLater(entry), names)

const nameOf = (thing: Thing | undefined, names: Names) => thing && names[thing.kind].get(thing.id)

const actingPerson = ({ actor }: Entry): Thing | undefined =>
  actor.type === 'person' && actor.id !== null ? { kind: 'person', id: actor.id } : undefined

/** Before a change rather than after it: that is what the thing was called when it was changed. */
function namedThen(entry: Entry): string | undefined {
  if (entry.target.type === 'group') return entry.target.id
  const member = nameMembers[entry.target.type]
  return member === undefined ? undefined : textIn(entry, member)
}

function namedLater(entry: Entry): Thing | undefined {
  const { type, id } = entry.target
  if (namedThen(entry) !== undefined) return undefined
  if (type === 'console_session') return holderOf(entry)
  if (isLookedUp(type)) return { kind: type, id }
  for (const [member, kind] of owners[type] ?? []) {
    const owner = textIn(entry, member)
    if (owner !== undefined) return { kind, id: owner }
  }
  return undefined
}

/** Whose session it is: the entry says it where another one ended it. */
function holderOf({ actor, before }: Entry): Thing | undefined {
  const { by = actor } = (before ?? {}) as { by?: { type: string; id: string | null } }
  if (by.id === null || by.type === 'operator') return undefined
  return { kind: by.type === 'person' ? 'person' : 'api_key', id: by.id }
}

const isLookedUp = (type: string): type is LookedUp => lookedUp.some((kind) => kind === type)

/** An empty text is no name. */
function textIn({ before, after }: Entry, member: string): string | undefined {
  const texts = [before, after].map((side) => (side as Record<string, unknown> | null)?.[member])
  return texts.find((text): text is string => typeof text === 'string' && text !== '')
}
