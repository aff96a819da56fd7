import type { ReactNode } from 'react'
import styles from './badge.module.css'

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad'

/** A short word for a state. The word says it; the colour only helps. */
export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
)

const deliveryTones: Record<string, Tone> = {
  pending: 'accent',
  in_flight: 'accent',
  held: 'warn',
  succeeded: 'good',
  dropped: 'bad',
  cancelled: 'neutral',
  refused: 'warn',
}

/** The status of a delivery in a word: what the interface calls dropped has failed for good. */
export const DeliveryStatus = ({ status }: { status: string }) => (
  <Badge tone={deliveryTones[status] ?? 'neutral'}>
    {status === 'dropped' ? 'failed' : status.replaceAll('_', ' ')}
  </Badge>
)
