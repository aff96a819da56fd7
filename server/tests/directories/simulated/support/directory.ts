/** A customer's directory as it should be: what its client has to bring to Signet. It changes between two cycles of its client only. */
export type Directory = {
  name: string
  people: Set<Person>
  groups: Set<Group>
  /** What its client has not brought to Signet yet; what is gone from the directory is among it. */
  changed: Set<Thing>
}

export type Thing = Person | Group

export type Person = {
  kind: 'person'
  externalId: string
  userName: string
  givenName: string
  familyName: string
  displayName: string
  email: string
  /** Empty: none. */
  title: string
  department: string
  isActive: boolean
  isGone: boolean
  /** How many pushes of the person as inactive or gone have begun; and the last of them that Signet has acknowledged. */
  offBegun: number
  offDone: number
}

export type Group = {
  kind: 'group'
  externalId: string
  displayName: string
  members: Set<Person>
  isGone: boolean
}

export const createDirectory = (name: string): Directory => ({
  name,
  people: new Set(),
  groups: new Set(),
  changed: new Set(),
})

export const isOff = ({ isActive, isGone }: Person) => isGone || !isActive

/** For what a test prints. */
export const nameOf = (thing: Thing) => (thing.kind === 'person' ? thing.userName : thing.displayName)
