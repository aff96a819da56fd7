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
  const isKept = useRef(false)
  useEffect(() => {
    let isCurrent = true
    isKept.current = false
    describeForm(call, form.current).then((content) => {
      if (!isCurrent || isKept.current) return
      setClean((before) => (before.length > 0 ? before : [content]))
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
    if (now !== undefined) setClean((before) => [...before.slice(0, 1), now])
  }
  return { keep }
}

/** What cannot be sent yet, for want of a field, is known by its fields. */
async function describeForm(call: Call, form: HTMLFormElement | null): Promise<string> {
  const requests = await describeRequests(call)
  return requests === '[]' ? JSON.stringify([...typedIn(form)]) : requests
}

function* typedIn(form: HTMLFormElement | null) {
  for (const field of form?.elements ?? [])
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement)
      yield field.type === 'checkbox' ? (field as HTMLInputElement).checked : field.value
}
