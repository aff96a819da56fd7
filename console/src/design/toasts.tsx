import { useEffect } from 'react'
import { createState } from '../state/state.ts'
import { Icon } from './icon.tsx'
import styles from './toasts.module.css'

type Toast = { id: number; title: string }

const shownMs = 5_000
const maxToasts = 3

const toasts = createState<readonly Toast[]>([])
let lastId = 0

/** Says in a corner that something is done; a screen reader says it too. */
export const notify = (title: string) => toasts.set([...toasts.get(), { id: ++lastId, title }].slice(-maxToasts))

const close = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id))

/** Where they appear: once, around the whole console. */
export function Toasts() {
  const shown = toasts.use()
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
