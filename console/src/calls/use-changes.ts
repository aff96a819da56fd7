import { type RefObject, useEffect, useRef, useState } from 'react'
import { release, useUnsaved } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { describeRequests } from './recorded-request.ts'

/**
 * Whether a form would send something else than when it was opened; leaving it then asks. What was changed back is no change, whatever fields
 * the form has. `keep`: what is in it now is saved, or given up.
 */
export function useChanges(call: Call, form: RefObject<HTMLFormElement | null>) {
  // As it was opened, and as it was saved: some forms are empty again after that, and some stay as they are.
  const [clean, setClean] = useState<readonly string[]>([])
  const [now, setNow] = useState<string>()
  const [token] = useState(() => ({}))
  const opened = useRef<Promise<string>>(undefined)
  const isKept = useRef(false)
  useEffect(() => {
    let isCurrent = true
    isKept.current = false
    const present = describeForm(call, form.current)
    opened.current ??= present
    // Whoever closes the tab at once is asked, too.
    if (opened.current !== present) setNow(pending)
    Promise.all([opened.current, present]).then(([first, content]) => {
      if (!isCurrent || isKept.current) return
      setClean((before) => (before.length > 0 ? before : [first]))
      setNow(content)
    })
    return () => {
      isCurrent = false
    }
  }, [call, form])
  useUnsaved(token, now !== undefined && !clean.includes(now))
  const keep = () => {
    isKept.current = true
    release(token)
    if (now !== undefined && now !== pending) setClean((before) => [...before.slice(0, 1), now])
  }
  return { keep }
}

/** While it is found out what the form would send. */
const pending = 'pending'

/** What cannot be sent yet, for want of a field, is known by its fields. */
async function describeForm(call: Call, form: HTMLFormElement | null): Promise<string> {
  const typed = JSON.stringify([...typedIn(form)])
  const requests = await describeRequests(call)
  return requests === '[]' ? typed : requests
}

function* typedIn(form: HTMLFormElement | null) {
  for (const field of form?.elements ?? [])
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement)
      yield field.type === 'checkbox' ? (field as HTMLInputElement).checked : field.value
}
