import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { Failure } from '../design/state.tsx'
import { notify } from '../design/toasts.tsx'
import { useNavigate } from '../router/index.ts'
import { type Call, signetUntil } from '../service/signet.ts'
import { EquivalentCurl } from './curl.tsx'
import { useLeft } from './use-left.ts'

export type ConfirmDialogProps<Reply> = {
  isOpen: boolean
  title: string
  /** What follows from it, in sentences. */
  children: ReactNode
  /** The verb with its object, such as `Delete webhook`. */
  action: string
  tone?: 'danger' | 'primary'
  call: Call<Reply>
  /** Said once it is done. */
  done?: string
  /** The page that follows; without one the dialog closes. */
  next?: string
  onDone?: (reply: Reply) => unknown
  onClose: () => void
  /** What must be typed first, where nothing brings it back. */
  typed?: string
}

/** Asks before something that cannot be undone, and does it. */
export function ConfirmDialog<Reply>(props: ConfirmDialogProps<Reply>) {
  const { isOpen, title, children, action, tone = 'danger', call, done, next, onDone, onClose, typed } = props
  const [text, setText] = useState('')
  const left = useLeft(isOpen)
  const run = useMutation({ mutationFn: () => call(signetUntil(left())), onSuccess: end })
  const navigate = useNavigate()
  async function end(reply: Reply) {
    setText('')
    if (done) notify(done)
    if (next) await navigate(next)
    else onClose()
    await onDone?.(reply)
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
