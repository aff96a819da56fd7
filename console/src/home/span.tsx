import { withMember } from '../design/pages.tsx'
import { Link, useSearchParams } from '../router/index.ts'
import styles from './span.module.css'

const minuteMs = 60_000

/** Each with about a hundred points, so that a chart shows them apart. */
const spans = [
  { name: '1h', words: 'last hour', minutes: 60, step: '1m', each: 'minute' },
  { name: '24h', words: 'last 24 hours', minutes: 24 * 60, step: '15m', each: '15 minutes' },
  { name: '7d', words: 'last 7 days', minutes: 7 * 24 * 60, step: '2h', each: '2 hours' },
] as const

/** The time that the page is about, as its address has it. */
export function useSpan() {
  const [address] = useSearchParams()
  const span = spans.find(({ name }) => name === address.get('span')) ?? spans[1]
  return { ...span, since: () => new Date(Date.now() - span.minutes * minuteMs).toISOString() }
}

export function SpanSwitch() {
  const [address] = useSearchParams()
  const chosen = useSpan()
  return (
    <nav className={styles.spans} aria-label="Time shown">
      {spans.map(({ name, words }) => (
        <Link
          key={name}
          to={{ search: withMember(address, 'span', name).toString() }}
          className={styles.span}
          aria-current={name === chosen.name ? 'true' : undefined}
          replace
        >
          {words.replace('last ', 'Last ')}
        </Link>
      ))}
    </nav>
  )
}
