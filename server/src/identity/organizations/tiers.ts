import type { Limits } from '../../ground/http/chain/operation.ts'

/** Tiers are named sets of limits. Where a limit is absent, nothing is counted or locked. */
export type Tiers = Record<string, Limits>

export const defaultTier = 'unlimited'
export const builtInTiers: Tiers = {
  [defaultTier]: {},
  free: { max_groups: 10, max_persons: 1000, max_webhooks: 5 },
}
/** For organizations whose tier was removed from the settings: they keep what they have, and nothing can be added. */
const closedTier: Limits = { max_groups: 0, max_persons: 0, max_webhooks: 0 }

const limits: string[] = ['max_groups', 'max_persons', 'max_webhooks']

export const limitsOf = (tiers: Tiers, name: string): Limits =>
  Object.hasOwn(tiers, name) ? (tiers[name] as Limits) : closedTier

const namesOfTiers = new WeakMap<Tiers, string[]>()

/** A list that follows `renewTiers`. */
export function tierNames(tiers: Tiers): string[] {
  const names = namesOfTiers.get(tiers) ?? Object.keys(tiers)
  namesOfTiers.set(tiers, names)
  return names
}

/** Puts others in their place, for everybody who was given them. */
export function renewTiers(tiers: Tiers, next: Tiers) {
  for (const name of Object.keys(tiers)) delete tiers[name]
  Object.assign(tiers, next)
  tierNames(tiers).splice(0, Number.POSITIVE_INFINITY, ...Object.keys(tiers))
}

/** Reads the settings file `{"<tier>": {"max_groups": 10}}`. Its tiers are added to the built-in ones and may replace them. */
export function parseTiers(json: string): { value: Tiers } | { problem: string } {
  const tiers: unknown = JSON.parse(json)
  if (!isRecord(tiers)) return { problem: 'must be a JSON object of tiers' }
  const problem = Object.entries(tiers).flatMap(([name, tier]) => tierProblems(name, tier))[0]
  return problem === undefined ? { value: { ...builtInTiers, ...(tiers as Tiers) } } : { problem }
}

function tierProblems(name: string, tier: unknown): string[] {
  if (!isRecord(tier)) return [`${name}: must be an object of limits`]
  return Object.entries(tier).flatMap(([limit, value]) => {
    if (!limits.includes(limit)) return [`${name}.${limit}: is not one of ${limits.join(', ')}`]
    return Number.isSafeInteger(value) && Number(value) >= 0
      ? []
      : [`${name}.${limit}: must be an integer of 0 or more`]
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
