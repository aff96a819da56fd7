import { type Directory, type Group, isOff, nameOf, type Person, type Thing } from './directory.ts'
import { Unanswered } from './requests.ts'

/** How a client of a directory brings one thing to Signet. Each gives whether it had anything to change. */
export type Dialect = {
  pushPerson(person: Person): Promise<boolean>
  pushGroup(group: Group): Promise<boolean>
}

export type Client = {
  /** Brings what has changed to Signet, and looks at some of what has not. */
  cycle(): Promise<void>
  /** Cycles until nothing is left. */
  finish(): Promise<void>
  /** Whether all of what is known of it was brought to Signet, and is not being changed there. */
  isSettled(thing: Thing): boolean
  /** What a cycle had to repair though Signet had acknowledged it. */
  repaired: string[]
  cycles(): number
}

type Options = { directory: Directory; dialect: Dialect; chance: () => number }

/** Of a client. */
const atOnce = 8
/** Of the things that have not changed, in one cycle. */
const comparedAtOnce = 10

export function createClient({ directory, dialect, chance }: Options): Client {
  const underWay = new Set<Thing>()
  const repaired: string[] = []
  let cycles = 0
  const pushPerson = async (person: Person) => {
    if (!isOff(person)) return dialect.pushPerson(person)
    const count = ++person.offBegun
    const hasWritten = await dialect.pushPerson(person)
    person.offDone = count
    return hasWritten
  }
  const bring = async (thing: Thing, isChanged: boolean) => {
    try {
      const hasWritten = await (thing.kind === 'person' ? pushPerson(thing) : dialect.pushGroup(thing))
      if (hasWritten && !isChanged) repaired.push(`${directory.name}: ${nameOf(thing)}`)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      // It may be done or not: the next cycle sees.
      directory.changed.add(thing)
    } finally {
      underWay.delete(thing)
    }
  }
  const bringAll = async (things: Thing[], isChanged: boolean) => {
    const left = things.values()
    const work = async () => {
      for (const thing of left) await bring(thing, isChanged)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }
  const someUnchanged = () => {
    const all = [...directory.people, ...directory.groups]
    const some = Array.from({ length: comparedAtOnce }, () => all[Math.floor(chance() * all.length)])
    return [...new Set(some)].filter((thing) => thing !== undefined && !directory.changed.has(thing)) as Thing[]
  }
  const cycle = async () => {
    cycles++
    const [changed, unchanged] = [[...directory.changed], someUnchanged()]
    for (const thing of changed) underWay.add(thing)
    directory.changed.clear()
    // Members must be there before they are put into a group.
    await bringAll(changed.filter(isPerson), true)
    await bringAll(
      changed.filter((thing) => !isPerson(thing)),
      true,
    )
    await bringAll(unchanged, false)
  }
  return {
    repaired,
    cycles: () => cycles,
    cycle,
    finish: async () => {
      while (directory.changed.size > 0) await cycle()
    },
    isSettled: (thing) => !directory.changed.has(thing) && !underWay.has(thing),
  }
}

const isPerson = ({ kind }: Thing) => kind === 'person'
