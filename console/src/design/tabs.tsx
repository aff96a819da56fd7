import { NavLink } from '../router/index.ts'
import styles from './tabs.module.css'

type TabsProps = {
  /** What the tabs divide. */
  label: string
  tabs: readonly { to: string; name: string; count?: number }[]
}

/** The parts of a page, each with an address of its own. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map(({ to, name, count }) => (
        <NavLink key={to} to={to} end className={({ isActive }) => `${styles.tab} ${isActive ? styles.active : ''}`}>
          {name}
          {count !== undefined && <span className={styles.count}>{count.toLocaleString()}</span>}
        </NavLink>
      ))}
    </nav>
  )
}
