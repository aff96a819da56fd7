import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Difference } from '../design/difference.tsx'
import type { FieldDifference } from '../design/differences.ts'

type ClashDialogProps = { differences: readonly FieldDifference[]; onSave: () => void; onClose: () => void }

/** Shows what changed since the form was opened, before anything is written over it. */
export function ClashDialog({ differences, onSave, onClose }: ClashDialogProps) {
  const actions = (
    <>
      <Button tone="primary" onClick={onSave}>
        Save over it
      </Button>
      <Button onClick={onClose}>Back to the form</Button>
    </>
  )
  return (
    <Dialog isOpen title="Somebody else changed this" onClose={onClose} actions={actions} isWide>
      <p>Since you opened the form, these fields were changed. Nothing of yours is saved yet.</p>
      <Difference differences={differences} before="When you opened it" after="Now" />
    </Dialog>
  )
}
