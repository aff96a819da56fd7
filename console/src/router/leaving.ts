import { useEffect, useSyncExternalStore } from 'react'

/** Forms with changes that are not saved. */
const unsaved = new Set<object>()
let question: { go: () => unknown } | undefined
const listeners = new Set<() => void>()

function ask(next: typeof question) {
  question = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const hasUnsaved = () => unsaved.size > 0

/** Does what leaves the page, at once or after somebody has said that what was typed may go. */
export function leave(go: () => unknown) {
  if (!hasUnsaved()) return void go()
  ask({ go })
}

/** What waits to be allowed. */
export const useLeaving = () => useSyncExternalStore(subscribe, () => question)

export const stay = () => ask(undefined)

export function leaveAnyway() {
  const waiting = question
  for (const form of [...unsaved]) release(form)
  ask(undefined)
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
