import { domainToASCII } from 'node:url'
import type { Reading, Spot } from './reading.ts'

/** How a field of a thing is read from the file, and which of its spellings are one value. */
export type FieldType = {
  read: (reading: Reading, spot: Spot) => unknown
  normalize?: (value: never) => unknown
}

type TextRule = { pattern?: RegExp; max?: number; min?: number; rule?: string }

export function text({ pattern, min = 0, max = Number.POSITIVE_INFINITY, rule }: TextRule = {}): FieldType {
  const said = rule ?? `must be text of ${min} to ${max} characters`
  return {
    read: (reading, spot) => {
      const value = reading.text(spot)
      if (value === undefined) return undefined
      const length = [...value].length
      const isRight = length >= min && length <= max && (pattern?.test(value) ?? true)
      return isRight ? value : reading.refuse(spot, said)
    },
  }
}

const variableRule = `must be a variable, such as \${NAME}`

/** Checked where it stands: a secret that is written into the file is not taken. */
export const secret: FieldType = {
  read: (reading, spot) => {
    const before = reading.countVariables()
    const value = reading.text(spot, variableRule)
    if (value === undefined || reading.countVariables() > before) return value
    return reading.refuse(spot, `${variableRule}: secrets do not belong in this file`)
  },
}

export const oneOf = (...values: string[]): FieldType => ({
  read: (reading, spot) => {
    const rule = `must be one of ${values.join(', ')}`
    const value = reading.text(spot, rule)
    return value === undefined || values.includes(value) ? value : reading.refuse(spot, rule)
  },
})

export const boolean: FieldType = {
  read: (reading, spot) => {
    const value = reading.scalar(spot)
    return typeof value === 'boolean' ? value : reading.refuse(spot, 'must be true or false')
  },
}

export const texts = (min = 0): FieldType => ({
  read: (reading, spot) => {
    const rule = min > 0 ? `must be a list of ${min} text or more` : 'must be a list of texts'
    const items = reading.list(spot, rule)
    if (items && items.length < min) return reading.refuse(spot, rule)
    return allOf(items?.map((item) => reading.text(item)))
  },
})

/** The service keeps A-labels in lower case, each once. */
export const domains: FieldType = {
  ...texts(),
  normalize: (names: string[]) => [...new Set(names.map((name) => domainToASCII(name) || name))].sort(),
}

export const headers: FieldType = {
  read: (reading, spot) => {
    const rule = 'must be a map from header names to lists of values'
    const members = reading.members(spot, undefined, rule)
    if (!members) return undefined
    const read = [...members].map(([name, member]) => [name, texts(1).read(reading, member)] as const)
    return read.some(([, values]) => values === undefined) ? undefined : Object.fromEntries(read)
  },
  // The order of names means nothing.
  normalize: (value: Record<string, string[]>) =>
    Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)),
}

const durationRule = 'must be a duration, such as 500ms or 2.5s'

export const duration: FieldType = {
  read: (reading, spot) => {
    const value = reading.text(spot, durationRule)
    if (value === undefined || nanosecondsOf(value) !== undefined) return value
    return reading.refuse(spot, durationRule)
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

/** The members that an object of options may have. */
export const options = (providers: Record<string, Record<string, FieldType>>): FieldType => ({
  read: (reading, spot) => {
    const members = reading.members(spot, Object.keys(providers), 'must be a map from a provider to its options')
    if (!members) return undefined
    const read = [...members].map(([provider, member]) => [
      provider,
      readOptions(reading, member, providers[provider] ?? {}),
    ])
    return Object.fromEntries(read)
  },
})

function readOptions(reading: Reading, spot: Spot, types: Record<string, FieldType>) {
  const members = reading.members(spot, Object.keys(types))
  const read = [...(members ?? [])].map(([name, member]) => [name, types[name]?.read(reading, member)])
  return Object.fromEntries(read)
}

const allOf = <Item>(items: (Item | undefined)[] | undefined): Item[] | undefined =>
  items?.some((item) => item === undefined) ? undefined : (items as Item[] | undefined)
