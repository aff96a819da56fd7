/** In RFC 3339: from `since` until before `until`. */
export type TimeSpan = { since: string; until: string }
/** Without `until` up to now. */
export type OpenSpan = Omit<TimeSpan, 'until'> & Partial<TimeSpan>

export type Series = {
  name: string
  tone: 'accent' | 'good' | 'warn' | 'bad' | 'soft'
  values: readonly number[]
  /** The list of what it counts in a span, if there is one. */
  to?: ((span: TimeSpan) => string) | undefined
}

export type ChartData = {
  /** When each value begins, in seconds since 1970, all equally far apart. */
  times: readonly number[]
  series: readonly Series[]
}

/** Of one value; the last is as long as those before. */
export function spanOf({ times }: Pick<ChartData, 'times'>, place: number): TimeSpan {
  const since = times[place] ?? 0
  return { since: toText(since), until: toText(since + stepOf(times)) }
}

const toText = (seconds: number) => new Date(seconds * 1_000).toISOString()

/** Seconds from one value to the next. */
export const stepOf = ([first = 0, second = first + 60]: readonly number[]) => second - first

/** The height of the chart: the first of 1, 2, 4, 5, 10, 20 … that no stack exceeds, so that its half is a whole number or 0.5. */
export function topOf({ times, series }: ChartData): number {
  const highest = Math.max(1, ...times.map((_, place) => stackOf(series, place)))
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 4, 5, 10].find((factor) => factor * power >= highest) ?? 10) * power
}

const stackOf = (series: readonly Series[], place: number) =>
  series.reduce((sum, { values }) => sum + (values[place] ?? 0), 0)

const hour = 3_600
const day = 24 * hour
const tickSteps = [60, 300, 900, 1_800, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 30 * day]
const maxTicks = 7
/** Beyond this part of the axis its words would be cut. */
const roomForWords = 0.85

/** The places that the time axis names: whole hours or days of the reader, `offsetOf` ahead of UTC by seconds. */
export function ticksOf(times: readonly number[], offsetOf: (seconds: number) => number): number[] {
  for (const step of tickSteps) {
    const unitOf = (seconds: number) => Math.floor((seconds + offsetOf(seconds)) / step)
    const places = times.flatMap((seconds, place) => {
      const before = times[place - 1]
      return before !== undefined && unitOf(before) < unitOf(seconds) ? [place] : []
    })
    if (places.length <= maxTicks) return places.filter((place) => place < roomForWords * times.length)
  }
  return []
}
