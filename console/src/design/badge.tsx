import type { ReactNode } from 'react'
import styles from './badge.module.css'

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad'

/** A short word for a state. The word says it; the colour only helps. */
export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
)
