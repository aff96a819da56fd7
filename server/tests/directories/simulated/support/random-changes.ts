import type { Directory, Group, Person, Thing } from './directory.ts'

type Options = {
  /** Of its e-mail addresses. */
  domain: string
  /** Whether persons are deleted in the end, and not only switched off. */
  deletes: boolean
  chance: () => number
}

export type RandomChanges = {
  /** People and groups; in the first group is everybody. */
  begin(people: number, groups: number): void
  change(count: number): void
}

const departments = ['Sales', 'Research & Development', 'Ops', '営業部']
/** Signet makes names of its own of them, each in another way. */
const kindsOfTeams = ['Team', 'Équipe R&D /', '管理者', '(EU)']
const mostAtOnce = 12

/** What happens to a directory, to random things. */
export function createRandomChanges(directory: Directory, { domain, deletes, chance }: Options): RandomChanges {
  let numbers = 0
  const below = (count: number) => Math.floor(chance() * count)
  const anyOf = <Value>(values: Iterable<Value>): Value | undefined => {
    const all = [...values]
    return all[below(all.length)]
  }
  const anyPerson = () => anyOf(directory.people) ?? hire()
  const anyGroup = () => anyOf(directory.groups) ?? found()
  const anyInactive = () => anyOf([...directory.people].filter(({ isActive }) => !isActive))
  const uuid = () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => below(16).toString(16))
  const change = <Value extends Thing>(thing: Value, fields: Partial<Value> = {}) => {
    Object.assign(thing, fields)
    directory.changed.add(thing)
    return thing
  }

  function hire(): Person {
    const [number, familyName] = [numbers++, `O'Neil-${below(100)}`]
    const person: Person = {
      kind: 'person',
      externalId: uuid(),
      userName: `Jo.${number}@${domain}`,
      givenName: `Jo ${number}`,
      familyName,
      displayName: `Jo ${number} ${familyName}`,
      email: `jo.${number}@${domain}`,
      title: '',
      department: anyOf(departments) ?? '',
      isActive: chance() < 0.95,
      isGone: false,
      offBegun: 0,
      offDone: 0,
    }
    directory.people.add(person)
    return change(person)
  }
  function found(): Group {
    const displayName = `${directory.name} ${anyOf(kindsOfTeams)} ${numbers++}`
    const group: Group = { kind: 'group', externalId: uuid(), displayName, members: new Set(), isGone: false }
    directory.groups.add(group)
    return change(group)
  }
  const fill = (group: Group, count: number) => {
    for (let joining = 0; joining < count; joining++) group.members.add(anyPerson())
    change(group)
  }
  const thin = (group: Group, count: number) => {
    for (const member of [...group.members].slice(0, count)) group.members.delete(member)
    change(group)
  }
  const marry = () => {
    const number = numbers++
    const [userName, email] = [`Married.${number}@${domain}`, `married.${number}@${domain}`]
    change(anyPerson(), { userName, email, familyName: `Smith-${number}` })
  }
  const remove = (person: Person | undefined) => {
    if (!deletes || !person) return
    directory.people.delete(person)
    for (const group of directory.groups) if (group.members.delete(person)) change(group)
    change(person, { isGone: true })
  }
  const dissolve = (group: Group) => {
    if (directory.groups.size <= 2) return
    directory.groups.delete(group)
    change(group, { isGone: true })
  }

  const happenings: [weight: number, happen: () => unknown][] = [
    [3, hire],
    [4, () => change(anyPerson(), { title: `Title ${below(50)}`, department: anyOf(departments) ?? '' })],
    [2, () => change(anyPerson(), { title: '' })],
    [3, marry],
    [10, () => change(anyPerson(), { isActive: false })],
    [6, () => change(anyInactive() ?? anyPerson(), { isActive: true })],
    [3, () => remove(anyInactive())],
    [8, () => fill(anyGroup(), 1 + below(mostAtOnce))],
    [6, () => thin(anyGroup(), 1 + below(mostAtOnce))],
    [1, () => thin(anyGroup(), Number.POSITIVE_INFINITY)],
    [1, found],
    [1, () => change(anyGroup(), { displayName: `${directory.name} renamed ${numbers++}` })],
    [1, () => dissolve(anyGroup())],
  ]
  const total = happenings.reduce((sum, [weight]) => sum + weight, 0)
  const changeOnce = () => {
    let left = chance() * total
    for (const [weight, happen] of happenings) {
      left -= weight
      if (left < 0) return happen()
    }
  }
  return {
    begin: (people, groups) => {
      for (let count = 0; count < people; count++) hire()
      for (let count = 0; count < groups; count++) found()
      const [everybody, ...others] = directory.groups
      if (everybody) everybody.members = new Set(directory.people)
      for (const group of others) fill(group, 1 + below(people / 2))
    },
    change: (count) => {
      for (let changes = 0; changes < count; changes++) changeOnce()
    },
  }
}
