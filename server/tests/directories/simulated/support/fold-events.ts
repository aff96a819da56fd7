/** What a reader of the feed makes of its events, one after the other. */
export type Folded = {
  people: Map<string, FoldedPerson>
  deleted: Set<string>
  /** Events that do not fit what came before them. */
  impossible: string[]
}

/** `isActive` is undefined until an event says: of who is made inactive, none does. */
export type FoldedPerson = { isActive: boolean | undefined; groups: Set<string> }

type Told = {
  event_metadata: { event_id: string; event_name: string }
  person_id: string
  groups: string[]
  added: string[]
  removed: string[]
}

export function foldEvents(events: Told[]): Folded {
  const folded: Folded = { people: new Map(), deleted: new Set(), impossible: [] }
  const seen = new Set<string>()
  for (const event of events) {
    const { event_id, event_name } = event.event_metadata
    const person = folded.people.get(event.person_id)
    const refuse = (why: string) =>
      void folded.impossible.push(`${event_name} ${event_id} of ${event.person_id}: ${why}`)
    if (seen.has(event_id)) refuse('came before')
    seen.add(event_id)
    if (event_name === 'PersonCreated_v1') {
      if (person || folded.deleted.has(event.person_id)) refuse('was created before')
      folded.people.set(event.person_id, { isActive: undefined, groups: new Set() })
    } else if (!person) refuse('there is no such person')
    else applyEvent(folded, person, event, refuse)
  }
  return folded
}

function applyEvent({ people, deleted }: Folded, person: FoldedPerson, event: Told, refuse: (why: string) => void) {
  const { event_name } = event.event_metadata
  if (event_name === 'PersonDeleted_v1') {
    // Of a group that was deleted no event tells.
    if (event.groups.some((group) => !person.groups.has(group))) refuse('was in a group that no event told of')
    people.delete(event.person_id)
    deleted.add(event.person_id)
  } else if (event_name === 'PersonActivated_v1' || event_name === 'PersonDeactivated_v1') {
    const isActive = event_name === 'PersonActivated_v1'
    if (person.isActive === isActive) refuse('was so already')
    person.isActive = isActive
  } else if (event_name === 'PersonGroupsChanged_v1') {
    if (event.added.some((group) => person.groups.has(group))) refuse('was in a group that was added')
    if (event.removed.some((group) => !person.groups.has(group))) refuse('was not in a group that was removed')
    for (const group of event.added) person.groups.add(group)
    for (const group of event.removed) person.groups.delete(group)
  }
}
