import { InvalidArgumentError } from 'commander'

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export const list = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)

export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('must be a whole number from 1')
  return Number(text)
}

/** A duration before now, or a time of RFC 3339. Gives milliseconds since 1970. */
export function since(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)]
  if (parts.length > 0 && parts.map(([part]) => part).join('') === text)
    return (
      Date.now() -
      parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitsMs[unit as keyof typeof unitsMs], 0)
    )
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw new InvalidArgumentError('must be a duration such as 90s or 24h, or a time such as 2026-01-31T08:00:00Z')
  return time
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
