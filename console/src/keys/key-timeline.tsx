import type { VerificationKeyUse } from '@signet/management'
import { Badge, type Tone } from '../design/badge.tsx'
import { Copyable } from '../design/copy.tsx'
import { Properties } from '../design/properties.tsx'
import { Time } from '../design/time.tsx'
import styles from './key-timeline.module.css'

const states: Record<VerificationKeyUse['state'], [tone: Tone, words: string]> = {
  published: ['accent', 'next'],
  signing: ['good', 'signs now'],
  retired: ['neutral', 'retired'],
  withdrawn: ['bad', 'withdrawn'],
}

/** The keys in the order in which they sign, the next one on top. */
export function KeyTimeline({ keys }: { keys: VerificationKeyUse[] }) {
  const inOrder = [...keys].sort((one, other) => other.signs_from.localeCompare(one.signs_from))
  return (
    <ol className={styles.timeline}>
      {inOrder.map((key) => (
        <li key={key.kid} className={styles[key.state]}>
          <KeyEntry {...key} />
        </li>
      ))}
    </ol>
  )
}

function KeyEntry({ kid, algorithm, state, ...times }: VerificationKeyUse) {
  const [tone, words] = states[state]
  const isNext = state === 'published'
  return (
    <>
      <div className={styles.head}>
        <Badge tone={tone}>{words}</Badge>
        <Copyable text={kid} of="key ID" />
        <span className={styles.algorithm}>{algorithm}</span>
      </div>
      <Properties
        items={[
          ['Published', <Time key="published" at={times.published_at} />],
          [isNext ? 'May sign from' : 'Signed from', <Time key="from" at={times.signs_from} />],
          ['Signed until', times.signs_until && <Time key="until" at={times.signs_until} />],
          [
            state === 'withdrawn' ? 'Left the set' : 'Leaves the set',
            times.withdrawn_at && <Time key="left" at={times.withdrawn_at} />,
          ],
        ]}
      />
    </>
  )
}
