import { LinkSwitch } from '../design/link-switch.tsx'
import { withMember } from '../design/pages.tsx'
import { useSearchParams } from '../router/index.ts'

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
  return (
    <LinkSwitch
      label="Time shown"
      choices={spans.map(({ name, words }) => [name, words.replace('last ', 'Last ')])}
      chosen={useSpan().name}
      addressOf={(name) => withMember(address, 'span', name)}
    />
  )
}
