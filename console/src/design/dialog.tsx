import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Call, signet } from '../service/signet.ts'
import { Button } from './button.tsx'
import { EquivalentCurl } from './curl.tsx'
import styles from './dialog.module.css'
import { TextField } from './field.tsx'
import { Failure } from './state.tsx'

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

type ConfirmDialogProps<Reply> = {
  isOpen: boolean
  title: string
  /** What follows from it, in sentences. */
  children: ReactNode
  /** The verb with its object, such as `Delete webhook`. */
  action: string
  tone?: 'danger' | 'primary'
  call: Call<Reply>
  onDone: (reply: Reply) => unknown
  onClose: () => void
  /** What must be typed first, where nothing brings it back. */
  typed?: string
}

/** Asks before something that cannot be undone, and does it. */
export function ConfirmDialog<Reply>(props: ConfirmDialogProps<Reply>) {
  const { isOpen, title, children, action, tone = 'danger', call, onDone, onClose, typed } = props
  const [text, setText] = useState('')
  const run = useMutation({ mutationFn: () => call(signet), onSuccess: done })
  async function done(reply: Reply) {
    setText('')
    await onDone(reply)
  }
  const close = () => {
    setText('')
    run.reset()
    onClose()
  }
  const actions = (
    <>
      <Button
        tone={tone}
        busy={run.isPending}
        disabled={typed !== undefined && text !== typed}
        onClick={() => run.mutate()}
      >
        {action}
      </Button>
      <Button onClick={close}>Cancel</Button>
    </>
  )
  return (
    <Dialog isOpen={isOpen} title={title} actions={actions} onClose={close}>
      {children}
      {typed !== undefined && (
        <TextField name="typed" label={`Type ${typed} to confirm`} value={text} onChange={setText} />
      )}
      {run.isError && <Failure error={run.error} />}
      <EquivalentCurl call={call} />
    </Dialog>
  )
}
