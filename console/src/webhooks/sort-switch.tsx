import { LinkSwitch } from '../design/link-switch.tsx'
import { withMember } from '../design/pages.tsx'
import { useSearchParams } from '../router/index.ts'
import styles from './sort-switch.module.css'

const orders = [
  ['newest', 'Newest'],
  ['name', 'Name'],
  ['p95', 'Slowest'],
  ['error_rate', 'Most errors'],
  ['held', 'Most held'],
] as const

/** What comes first, as the address has it. */
export function SortSwitch() {
  const [address] = useSearchParams()
  const addressOf = (order: string) => {
    const changed = withMember(address, 'sort', order === 'newest' ? undefined : order)
    changed.delete('page')
    return changed
  }
  return (
    <div className={styles.orders}>
      <span className={styles.label}>Order</span>
      <LinkSwitch label="Order" choices={orders} chosen={address.get('sort') ?? 'newest'} addressOf={addressOf} />
    </div>
  )
}
