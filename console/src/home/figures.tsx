import type { Statistics } from '@signet/management'
import type { ReactNode } from 'react'
import { endedDeliveries } from '../attempts/ended-deliveries.ts'
import { duration } from '../design/time.tsx'
import { Link } from '../router/index.ts'
import styles from './figures.module.css'
import { eventsIn, outcomesOf, signInsOf, totalOf } from './series.ts'

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
        succeeded
      </Figure>
      <Figure name="Failed" value={deliveries.dropped} to={endedDeliveries('dropped')(span)} isBad>
        not delivered
      </Figure>
      <Figure name="Waiting now" value={deliveries.pending + deliveries.in_flight} to="/deliveries?status=pending">
        {oldest_due ? `oldest due for ${age(oldest_due.due_at, until)}` : 'nothing is overdue'}
      </Figure>
      <Figure name="Held now" value={deliveries.held} to="/deliveries?status=held">
        webhooks paused
      </Figure>
    </div>
  )
}

function SignIns({ statistics }: { statistics: Statistics }) {
  const outcomes = outcomesOf(statistics)
  const span = { since: statistics.since }
  const count = (isWanted: (outcome: string) => boolean) =>
    totalOf(outcomes.filter(({ outcome }) => isWanted(outcome)).map((each) => each.count))
  return (
    <>
      <Figure name="Sign-ins" value={count((outcome) => outcome === 'succeeded')} to={signInsOf('succeeded')(span)}>
        succeeded
      </Figure>
      <Figure
        name="Sign-ins failed"
        value={count((outcome) => outcome !== 'succeeded')}
        to={signInsOf('failed')(span)}
        isBad
      />
    </>
  )
}

type FigureProps = { name: string; value: number; to: string; isBad?: boolean; children?: ReactNode }

/** `isBad`: more than none is worth a look. */
const Figure = ({ name, value, to, isBad = false, children }: FigureProps) => (
  <Link to={to} className={styles.figure}>
    <span className={styles.name}>{name}</span>
    <span className={`${styles.value} ${isBad && value > 0 ? styles.bad : ''}`}>{value.toLocaleString()}</span>
    {children && <span className={styles.words}>{children}</span>}
  </Link>
)

const rate = (aMinute: number) =>
  `${aMinute.toLocaleString(undefined, { maximumFractionDigits: aMinute < 10 ? 1 : 0 })} a minute`

const age = (since: string, now: string) => duration(Math.max(Date.parse(now) - Date.parse(since), 0))
