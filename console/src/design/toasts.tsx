import { useEffect, useSyncExternalStore } from 'react'
import { Icon } from './icon.tsx'
import styles from './toasts.module.css'

type Toast = { id: number; title: string }

const shownMs = 5_000
const maxToasts = 3

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Says in a corner that something is done; a screen reader says it too. */
export const notify = (title: string) => change([...toasts, { id: ++lastId, title }].slice(-maxToasts))

const close = (id: number) => change(toasts.filter((toast) => toast.id !== id))

/** Where they appear: once, around the whole console. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <section aria-live="polite" aria-label="Messages" className={styles.viewport}>
      {shown.map((toast) => (
        <ShownToast key={toast.id} {...toast} />
      ))}
    </section>
  )
}

function ShownToast({ id, title }: Toast) {
  useEffect(() => {
    const timer = setTimeout(() => close(id), shownMs)
    return () => clearTimeout(timer)
  }, [id])
  return (
    <div className={styles.toast}>
      <Icon name="check" />
      <span className={styles.title}>{title}</span>
      <button type="button" className={styles.close} aria-label="Close" onClick={() => close(id)}>
        <Icon name="cross" size={14} />
      </button>
    </div>
  )
}
