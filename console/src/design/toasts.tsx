import { Toast } from '@base-ui/react/toast'
import { Icon } from './icon.tsx'
import styles from './toasts.module.css'

const manager = Toast.createToastManager()

/** Says in a corner that something is done; a screen reader says it too. */
export const notify = (title: string) => void manager.add({ title, timeout: 5_000 })

/** Where they appear: once, around the whole console. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast}>
      <Icon name="check" />
      <Toast.Title className={styles.title} />
      <Toast.Close className={styles.close} aria-label="Close">
        <Icon name="cross" size={14} />
      </Toast.Close>
    </Toast.Root>
  ))
}
