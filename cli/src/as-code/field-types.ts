import { domainToASCII } from 'node:url'
import { isScalar, isSeq } from 'yaml'
import { isUnset, type Location, type Reading } from './reading.ts'

/** How a field of a resource is read from the file, and which of its spellings are one value. */
export type FieldType = {
  read: (reading: Reading, location: Location) => unknown
  normalize?: (value: never) => unknown
}

/** Which texts a field takes is the service's to say: a newer one may take more. */
export const text: FieldType = { read: (reading, location) => reading.text(location) }

/** `null` is none. */
export const textOrNull: FieldType = {
  read: (reading, location) => (reading.isNull(location) ? null : reading.text(location)),
}

const variableRule = `must be a variable, such as \${NAME}`

/** Checked where it stands: a secret that is written into the file is not taken. */
export const secret: FieldType = {
  read: (reading, location) => {
    const before = reading.variables
    const value = reading.secretText(location, variableRule)
    if (value === undefined || reading.variables > before) return value
    return reading.refuse(location, `${variableRule}: secrets do not belong in this file`)
  },
}

/** One without which nothing can be asked. */
export const neededSecret: FieldType = {
  read: (reading, location) => {
    const value = secret.read(reading, location)
    if (!isUnset(value)) return value
    value.refuse()
    return undefined
  },
}

export const boolean: FieldType = {
  read: (reading, location) => {
    const value = reading.scalar(location)
    return typeof value === 'boolean' ? value : reading.refuse(location, 'must be true or false')
  },
}

export const texts: FieldType = {
  read: (reading, location) => {
    const items = reading.list(location, 'must be a list of texts')
    return allOf(items?.map((item) => reading.text(item)))
  },
}

/** The service keeps A-labels in lower case, each once. */
export const domains: FieldType = {
  ...texts,
  normalize: (names: string[]) => [...new Set(names.map((name) => domainToASCII(name) || name))].sort(),
}

export const headers: FieldType = {
  read: (reading, location) => {
    const rule = 'must be a map from header names to lists of values'
    const members = reading.members(location, undefined, rule)
    if (!members) return undefined
    const read = [...members].map(([name, member]) => [name, readValues(reading, member)] as const)
    return read.some(([, values]) => values === undefined) ? undefined : Object.fromEntries(read)
  },
  // The order of names means nothing.
  normalize: (value: Record<string, string[]>) =>
    Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)),
}

function readValues(reading: Reading, location: Location) {
  const items = reading.list(location, 'must be a list of texts')
  return allOf(items?.map((item) => reading.secretText(item)))
}

const durationRule = 'must be a duration, such as 500ms or 2.5s'

export const duration: FieldType = {
  read: (reading, location) => {
    const value = reading.text(location, durationRule)
    if (value === undefined || nanosecondsOf(value) !== undefined) return value
    return reading.refuse(location, durationRule)
  },
  normalize: (value: string) => nanosecondsOf(value),
}

const unitsOfDuration: Record<string, number> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
}
const partOfDuration = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g

/** As Go reads durations. */
function nanosecondsOf(value: string): number | undefined {
  if (value === '0') return 0
  const parts = [...value.matchAll(partOfDuration)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== value) return undefined
  return parts.reduce(
    (sum, [, number, unit = '']) => sum + Math.round(Number(number) * (unitsOfDuration[unit] ?? 0)),
    0,
  )
}

/** A map from a provider to its options, which are texts, lists of texts, or switches. */
export const options: FieldType = {
  read: (reading, location) =>
    readMap(reading, location, 'must be a map from a provider to its options', (provider) =>
      readMap(reading, provider, 'must be a map', (option) => readOption(reading, option)),
    ),
}

/** A logo is in no file. A colour is kept in lower case. */
export const branding: FieldType = {
  read: (reading, location) =>
    readMap(reading, location, 'must be a map', (member) => reading.text(member), ['display_name', 'accent_color']),
  normalize: (value: Record<string, string>) => ({
    display_name: value.display_name,
    accent_color: value.accent_color?.toLowerCase(),
  }),
}

function readMap(
  reading: Reading,
  location: Location,
  rule: string,
  read: (member: Location) => unknown,
  allowed?: string[],
) {
  const members = reading.members(location, allowed, rule)
  return members && Object.fromEntries([...members].map(([name, member]) => [name, read(member)]))
}

function readOption(reading: Reading, option: Location): unknown {
  if (isSeq(option.node)) return texts.read(reading, option)
  return isScalar(option.node) && typeof option.node.value === 'boolean' ? option.node.value : reading.text(option)
}

const allOf = <Item>(items: (Item | undefined)[] | undefined): Item[] | undefined =>
  items?.some((item) => item === undefined) ? undefined : (items as Item[] | undefined)
