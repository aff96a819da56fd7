import { useEffect, useRef } from 'react'
import { NavLink, useLocation } from '../router/index.ts'
import styles from './tabs.module.css'

type TabsProps = {
  /** What the tabs divide. */
  label: string
  tabs: readonly { to: string; name: string; count?: number }[]
}

/** The parts of a page, each with an address of its own. Where they do not fit, the row fades out, and shows the open one. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav className={styles.tabs} aria-label={label} ref={useOpenInView()}>
      {tabs.map(({ to, name, count }) => (
        <NavLink key={to} to={to} end className={({ isActive }) => `${styles.tab} ${isActive ? styles.active : ''}`}>
          {name}
          {count !== undefined && <span className={styles.count}>{count.toLocaleString()}</span>}
        </NavLink>
      ))}
    </nav>
  )
}

function useOpenInView() {
  const ref = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another open tab
  useEffect(() => {
    const row = ref.current
    const open = row?.querySelector<HTMLElement>('[aria-current]')
    if (row && open) row.scrollLeft = open.offsetLeft - row.offsetLeft - (row.clientWidth - open.offsetWidth) / 2
  }, [pathname])
  useEffect(() => {
    const row = ref.current
    if (!row) return undefined
    const tell = () => {
      const beyond = row.scrollWidth - row.clientWidth - row.scrollLeft
      row.toggleAttribute('data-before', row.scrollLeft > 1)
      row.toggleAttribute('data-after', beyond > 1)
    }
    const sizes = new ResizeObserver(tell)
    sizes.observe(row)
    row.addEventListener('scroll', tell, { passive: true })
    return () => {
      sizes.disconnect()
      row.removeEventListener('scroll', tell)
    }
  }, [])
  return ref
}
