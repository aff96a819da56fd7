import { useEffect } from 'react'
import { createState } from '../state/state.ts'

/** Forms with changes that are not saved. */
const unsaved = new Set<object>()
/** What waits to be allowed. */
const question = createState<{ go: () => unknown } | undefined>(undefined)

export const hasUnsaved = () => unsaved.size > 0

/** Does what leaves the page, at once or after somebody has said that what was typed may go. */
export function leave(go: () => unknown) {
  if (!hasUnsaved()) return void go()
  question.set({ go })
}

export const useLeaving = question.use

export const stay = () => question.set(undefined)

export function leaveAnyway() {
  const waiting = question.get()
  for (const form of [...unsaved]) release(form)
  stay()
  waiting?.go()
}

/** The words are the browser's own. */
const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()

function hold(form: object) {
  unsaved.add(form)
  addEventListener('beforeunload', onUnload)
}

/** A listener that stays would keep pages out of the browser's memory of them. */
export function release(form: object) {
  unsaved.delete(form)
  if (!hasUnsaved()) removeEventListener('beforeunload', onUnload)
}

/** As long as it is true, and the form is there, whatever leaves the page asks first. */
export function useUnsaved(form: object, isUnsaved: boolean) {
  useEffect(() => {
    if (isUnsaved) hold(form)
    return () => release(form)
  }, [form, isUnsaved])
}
