import { useIsAway } from '../network/network.ts'
import styles from './network-bar.module.css'

/** Above every page, as long as nobody answers. */
export const NetworkBar = () => (
  <div aria-live="polite">
    {useIsAway() && (
      <p className={styles.bar}>
        <strong>No connection to Signet.</strong> Nothing is saved until it is back, and what is shown may be older.
      </p>
    )}
  </div>
)
