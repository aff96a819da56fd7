import type { ReactNode } from 'react'
import styles from './properties.module.css'

/** Names and values, such as what a record has. Values that are undefined are left out. */
export function Properties({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.properties}>
      {items
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
