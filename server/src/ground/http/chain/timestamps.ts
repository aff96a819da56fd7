import { toDay } from '../../runtime/clock.ts'

const form = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i
/** Bounds in UTC: years have four digits, and PostgreSQL has no year 0. */
const firstTime = Date.parse('0001-01-01T00:00:00Z')
const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

/** As in RFC 3339. `Date` alone would read the 31st of February as a day in March. */
export function isTimestamp(text: string): boolean {
  const read = readLeapSecond(text)
  const day = new Date(form.exec(read)?.[1] ?? '')
  const isDay = !Number.isNaN(day.getTime()) && read.startsWith(toDay(day.getTime()))
  const time = Date.parse(read)
  return isDay && time >= firstTime && time <= lastTime && (read === text || endsMonth(time))
}

/** `Date` and every clock of ours have no 61st second: it is taken as the last moment of the 60th. */
const readLeapSecond = (text: string) => text.replace(/:60(\.\d{1,9})?(?=[Z+-])/i, ':59.999')

/** Leap seconds are added at the end of a month in UTC (RFC 3339, 5.7). */
const endsMonth = (time: number) => new Date(time + 1).getUTCDate() === 1 && (time + 1) % 86_400_000 === 0

type Schema = { properties?: Record<string, { format?: string }> }

/** `input` has met the schema; its times are then ones that `Date` reads. No operation takes a time deeper within its input. */
export function readTimes(schema: object, input: unknown): unknown {
  const members = input as Record<string, unknown>
  for (const [name, { format }] of Object.entries((schema as Schema).properties ?? {}))
    if (format === 'date-time' && typeof members?.[name] === 'string') members[name] = readLeapSecond(members[name])
  return input
}
