import type { Statistics } from '@signet/management'
import type { ReactNode } from 'react'
import { endedDeliveries } from '../attempts/ended-deliveries.ts'
import { countUpTo } from '../design/count.ts'
import { duration } from '../design/time.tsx'
import { outcomeWords } from '../outcomes/outcome-words.ts'
import { Link } from '../router/index.ts'
import styles from './figures.module.css'
import { eventsIn, maxUnfinished, outcomesOf, signInsOf, totalOf } from './series.ts'
import { useMaySignIns } from './use-may-sign-ins.ts'

/** The numbers that one looks for first; each leads to what it counts. */
export function Figures({ statistics }: { statistics: Statistics }) {
  const { since, until, events, deliveries, oldest_due } = statistics
  const span = { since }
  const published = totalOf(events.map(({ count }) => count))
  const minutes = Math.max((Date.parse(until) - Date.parse(since)) / 60_000, 1)
  return (
    <div className={styles.figures}>
      <Figure name="Events" value={published} to={eventsIn(span)}>
        {rate(published / minutes)}
      </Figure>
      <SignIns statistics={statistics} />
      <Figure name="Deliveries" value={deliveries.succeeded} to={endedDeliveries('succeeded')(span)}>
        {outcomeWords.succeeded.word}
      </Figure>
      <Figure name="Failed" value={deliveries.dropped} to={endedDeliveries('dropped')(span)} isBad>
        deliveries, for good
      </Figure>
      <Figure name="Waiting now" value={deliveries.pending} most={maxUnfinished} to="/deliveries?status=pending">
        {oldest_due ? `the oldest overdue for ${age(oldest_due.due_at, until)}` : 'nothing is overdue'}
      </Figure>
      <Figure name="Held now" value={deliveries.held} most={maxUnfinished} to="/deliveries?status=held">
        webhooks paused
      </Figure>
    </div>
  )
}

function SignIns({ statistics }: { statistics: Statistics }) {
  const isListed = useMaySignIns()
  const outcomes = outcomesOf(statistics)
  const span = { since: statistics.since }
  const count = (isWanted: (outcome: string) => boolean) =>
    totalOf(outcomes.filter(({ outcome }) => isWanted(outcome)).map((each) => each.count))
  const listOf = (status: 'succeeded' | 'failed') => (isListed ? signInsOf(status)(span) : undefined)
  return (
    <>
      <Figure name="Sign-ins" value={count((outcome) => outcome === 'succeeded')} to={listOf('succeeded')}>
        {outcomeWords.succeeded.word}
      </Figure>
      <Figure name="Sign-ins failed" value={count((outcome) => outcome !== 'succeeded')} to={listOf('failed')} isBad />
    </>
  )
}

type FigureProps = {
  name: string
  value: number
  to: string | undefined
  most?: number
  isBad?: boolean
  children?: ReactNode
}

/** `most`: it is counted so far. `isBad`: more than none is worth a look. */
function Figure({ name, value, to, most = Number.POSITIVE_INFINITY, isBad = false, children }: FigureProps) {
  const content = (
    <>
      <span className={styles.name}>{name}</span>
      <span className={`${styles.value} ${isBad && value > 0 ? styles.bad : ''}`}>{countUpTo(value, most)}</span>
      {children && <span className={styles.words}>{children}</span>}
    </>
  )
  if (!to) return <div className={styles.figure}>{content}</div>
  return (
    <Link to={to} className={styles.figure}>
      {content}
    </Link>
  )
}

const rate = (aMinute: number) =>
  `${aMinute.toLocaleString(undefined, { maximumFractionDigits: aMinute < 10 ? 1 : 0 })} a minute`

const age = (since: string, now: string) => duration(Math.max(Date.parse(now) - Date.parse(since), 0))
