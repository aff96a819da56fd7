import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Difference, type FieldDifference } from './difference.tsx'

/** A record that somebody else changed while a form was open. */
export type Clash = { now: object; differences: FieldDifference[] }

export function differencesBetween(before: object, after: object): FieldDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const sides = names.map((name) => ({
    name,
    before: (before as Record<string, unknown>)[name],
    after: (after as Record<string, unknown>)[name],
  }))
  return sides.filter((side) => JSON.stringify(side.before) !== JSON.stringify(side.after))
}

type ClashDialogProps = { clash: Clash; onSave: () => void; onClose: () => void }

/** Shows what changed since the form was opened, before anything is written over it. */
export function ClashDialog({ clash, onSave, onClose }: ClashDialogProps) {
  const actions = (
    <>
      <Button tone="primary" onClick={onSave}>
        Save over it
      </Button>
      <Button onClick={onClose}>Back to the form</Button>
    </>
  )
  return (
    <Dialog isOpen title="Somebody else changed this" onClose={onClose} actions={actions} size="wide">
      <p>Since you opened the form, these fields were changed. Nothing of yours is saved yet.</p>
      <Difference differences={clash.differences} before="When you opened it" after="Now" />
    </Dialog>
  )
}
