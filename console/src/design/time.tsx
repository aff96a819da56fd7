import { useEffect, useState } from 'react'
import styles from './time.module.css'

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const toTheMinute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** A moment in the reader's zone, with UTC beside. */
export function Time({ at }: { at: string }) {
  const moment = new Date(at)
  return (
    <time dateTime={at} className={styles.time} title={`${zone}; ${at}`}>
      <span>{local.format(moment)}</span>
      <span className={styles.utc}>{moment.toISOString().slice(11, 19)} UTC</span>
    </time>
  )
}

const refreshMs = 10_000

function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), refreshMs)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** How long ago, or how soon; the moment itself stands beside it. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} className={styles.time} title={`${zone}; ${at}`}>
      <span>{distance(Date.parse(at) - useNow())}</span>
      <span className={styles.utc}>{local.format(new Date(at))}</span>
    </time>
  )
}

/** From when on: the moment itself, and beside it how long ago that is. */
export function Since({ at }: { at: string }) {
  return (
    <time dateTime={at} className={styles.time} title={`${zone}; ${at}`}>
      <span>since {toTheMinute.format(new Date(at))}</span>
      <span className={styles.utc}>{distance(Date.parse(at) - useNow())}</span>
    </time>
  )
}

function distance(ms: number): string {
  const [unit, size] = units.find(([, size]) => Math.abs(ms) >= size) ?? ['second', 1_000]
  return relative.format(Math.trunc(ms / size), unit)
}

/** Milliseconds as people say them. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return inTwo(Math.round(ms / 1_000), 'min', 's')
  return inTwo(Math.round(ms / 60_000), 'h', 'min')
}

/** Sixty of the smaller unit make one of the larger. */
function inTwo(count: number, larger: string, smaller: string): string {
  const rest = count % 60
  return `${Math.floor(count / 60)} ${larger}${rest > 0 ? ` ${rest} ${smaller}` : ''}`
}
