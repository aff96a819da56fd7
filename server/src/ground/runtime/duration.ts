/**
 * Durations as Go's `time` package reads and writes them. In the program a duration is a number of milliseconds, perhaps
 * fractional; here it is counted in whole nanoseconds, as there.
 */

const nanoseconds: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  // U+00B5, the micro sign, and U+03BC, the Greek letter: Go takes both.
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** Go has no such limit, but never writes more than 24 characters itself. */
const maxLength = 64
/** Go's durations are signed 64-bit integers: some 292 years. */
const maxNanoseconds = 2n ** 63n - 1n

const term = '(\\d*)(?:\\.(\\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)'
const duration = new RegExp(`^[+-]?(?:${term})+$`)

/** Milliseconds; undefined where Go's `time.ParseDuration` fails, and for more than 64 characters. */
export function parseDuration(text: string): number | undefined {
  if (text.length > maxLength) return undefined
  if (/^[+-]?0$/.test(text)) return 0
  if (!duration.test(text)) return undefined
  const size = sumOfTerms(text)
  const isNegative = text.startsWith('-')
  if (size === undefined || size > maxNanoseconds + (isNegative ? 1n : 0n)) return undefined
  return Number(isNegative ? -size : size) / 1e6
}

/** Takes a text in the form of a duration; undefined where a number has no digit at all, as in `.s`. */
function sumOfTerms(text: string): bigint | undefined {
  let sum = 0n
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(new RegExp(term, 'g'))) {
    if (!whole && !fraction) return undefined
    const size = nanoseconds[unit] ?? 0n
    sum += BigInt(whole) * size + fractionOf(size, fraction)
  }
  return sum
}

/** In floating point, as Go does: a third of an hour with nineteen digits is twenty minutes, not a nanosecond less. */
function fractionOf(size: bigint, fraction: string): bigint {
  const digits = fraction.slice(0, 19)
  return BigInt(Math.trunc(Number(digits) * (Number(size) / 10 ** digits.length)))
}

/** As Go's `Duration.String` writes it: `10s`, `1m30s`, `500ms`, `0s`. Takes milliseconds. */
export function formatDuration(ms: number): string {
  const total = BigInt(Math.round(ms * 1e6))
  if (total === 0n) return '0s'
  const size = total < 0n ? -total : total
  return `${total < 0n ? '-' : ''}${size < 1_000_000_000n ? formatFraction(size) : formatClock(size)}`
}

/** Less than a second: in the largest unit that gives at least one. */
function formatFraction(size: bigint): string {
  if (size < 1_000n) return `${size}ns`
  return size < 1_000_000n ? `${decimal(size, 3)}\u00b5s` : `${decimal(size, 6)}ms`
}

/** A second and more: once there are hours there are minutes, too. */
function formatClock(size: bigint): string {
  const minute = 60_000_000_000n
  const minutes = size / minute
  const seconds = `${decimal(size % minute, 9)}s`
  if (minutes === 0n) return seconds
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`
}

/** `value` / 10^`places`, without zeros at the end. */
function decimal(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  return `${digits.slice(0, -places)}${fraction && `.${fraction}`}`
}
