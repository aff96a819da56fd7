import { withMember } from '../design/pages.tsx'
import { Link, useSearchParams } from '../router/index.ts'
import styles from './sort-switch.module.css'

const orders = [
  ['newest', 'Newest'],
  ['name', 'Name'],
  ['p95', 'Slowest'],
  ['error_rate', 'Most errors'],
  ['held', 'Most held'],
] as const

/** What comes first, as the address has it: each order is one press away. */
export function SortSwitch() {
  const [address] = useSearchParams()
  const chosen = address.get('sort') ?? 'newest'
  const addressOf = (order: string) => {
    const changed = withMember(address, 'sort', order === 'newest' ? undefined : order)
    changed.delete('page')
    return { search: changed.toString() }
  }
  return (
    <nav aria-label="Order" className={styles.orders}>
      <span className={styles.label}>Order</span>
      <span className={styles.choices}>
        {orders.map(([order, words]) => (
          <Link
            key={order}
            to={addressOf(order)}
            className={styles.order}
            aria-current={order === chosen ? 'true' : undefined}
            preventScrollReset
          >
            {words}
          </Link>
        ))}
      </span>
    </nav>
  )
}
