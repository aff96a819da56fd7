import { InvalidArgumentError } from 'commander'

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Years of four digits, as RFC 3339 has them. */
const lastMs = Date.UTC(9999, 11, 31)

/** A name without a version stands for all its versions, as `trigger` takes it. */
export function eventNames(text: string): string[] {
  const names = text.split(',').map((each) => each.trim())
  const wrong = names.find((name) => !/^(\w+\*?|\*)$/.test(name))
  if (wrong !== undefined)
    throw new InvalidArgumentError('must be names of events, separated by commas, such as Person*')
  return names.map((name) => (/(\*|_v\d+)$/.test(name) ? name : `${name}_v*`))
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('must be a whole number from 1')
  return Number(text)
}

/** A duration before now, or a time of RFC 3339. Gives RFC 3339. */
export function since(text: string): string {
  const time = momentOf(text)
  if (!(time >= 0 && time <= lastMs))
    throw new InvalidArgumentError('must be a duration such as 90s or 24h, or a time such as 2026-01-31T08:00:00Z')
  return new Date(time).toISOString()
}

/** Milliseconds since 1970; NaN where it is neither. */
function momentOf(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)]
  if (parts.length > 0 && parts.map(([part]) => part).join('') === text)
    return (
      Date.now() -
      parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitsMs[unit as keyof typeof unitsMs], 0)
    )
  const isTime = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text)
  // A leap second is taken as the service takes it.
  return isTime ? Date.parse(text.replace(/:60(\.\d+)?(?=[Z+-])/, ':59.999')) : Number.NaN
}

/** `name=value`; the value is JSON where it reads as JSON, else a string. */
export function member(text: string, members: Record<string, unknown> = {}): Record<string, unknown> {
  const [, name, value = ''] = /^([a-z_]+)=(.*)$/s.exec(text) ?? []
  if (!name) throw new InvalidArgumentError('must be a field, "=" and its value')
  return { ...members, [name]: jsonOr(value) }
}

function jsonOr(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

export function jsonObject(text: string): Record<string, unknown> {
  const value = jsonOr(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('must be a JSON object')
  return value as Record<string, unknown>
}
