import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import styles from './dialog.module.css'

type DialogProps = {
  isOpen: boolean
  title: string
  children: ReactNode
  actions?: ReactNode
  onClose: () => void
  isWide?: boolean
  /** It ends by its own actions alone. */
  isModal?: boolean
}

/** A dialog above the page. Escape and a press beside it close it; the focus goes back to where it was. */
export function Dialog({ isOpen, title, children, actions, onClose, isWide, isModal }: DialogProps) {
  return (
    <BaseDialog.Root
      open={isOpen}
      onOpenChange={(open) => !open && !isModal && onClose()}
      disablePointerDismissal={isModal}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles.backdrop} />
        <BaseDialog.Popup className={isWide ? `${styles.popup} ${styles.wide}` : styles.popup}>
          <BaseDialog.Title className={styles.title}>{title}</BaseDialog.Title>
          <div className={styles.content}>{children}</div>
          {actions && <div className={styles.actions}>{actions}</div>}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}
