export type Series = { name: string; tone: 'accent' | 'good' | 'warn' | 'bad' | 'soft'; values: readonly number[] }
export type ChartData = {
  /** When each value begins, in seconds since 1970. */
  times: readonly number[]
  series: readonly Series[]
}
