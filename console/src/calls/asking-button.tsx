import { type ReactNode, useState } from 'react'
import { Button, type ButtonProps } from '../design/button.tsx'
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx'

type AskingButtonProps<Reply> = Omit<ConfirmDialogProps<Reply>, 'isOpen' | 'onClose'> & {
  button?: Pick<ButtonProps, 'tone' | 'icon' | 'size' | 'title' | 'disabled' | 'aria-label'>
  /** Why it cannot be done now. */
  refusal?: string | undefined
  label?: ReactNode
}

/** A button that asks, by a dialog, before it does anything. */
export function AskingButton<Reply>({ button, refusal, label, ...dialog }: AskingButtonProps<Reply>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button disabled={refusal !== undefined} title={refusal} {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog {...dialog} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}
