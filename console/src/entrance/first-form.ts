type Typed = { organization_id: string; secret: string }

/** The form that the HTML has, so that it is seen before any script runs. */
export const firstForm = () => document.getElementById('first-form')

/** Takes what was typed in it, and removes it: the page's own form has just been put in its place. Undefined: there is none. */
export function takeFirstForm(own: HTMLFormElement | null, toFocus: keyof Typed): Typed | undefined {
  const first = firstForm()
  if (!first) return undefined
  const typedIn = (name: keyof Typed) => fieldOf(first, name)?.value ?? ''
  const typed = { organization_id: typedIn('organization_id'), secret: typedIn('secret') }
  const { activeElement: active } = document
  const focused = active instanceof HTMLInputElement && first.contains(active) ? active : undefined
  const { name, selectionStart, selectionEnd } = focused ?? {}
  first.remove()
  if (own) restoreFocus(own, name ?? toFocus, selectionStart, selectionEnd)
  return typed
}

const fieldOf = (form: HTMLElement, name: string) => form.querySelector<HTMLInputElement>(`input[name="${name}"]`)

/** After the values are there. */
const restoreFocus = (form: HTMLElement, name: string, start?: number | null, end?: number | null) =>
  queueMicrotask(() => {
    const field = fieldOf(form, name)
    field?.focus()
    field?.setSelectionRange(start ?? null, end ?? null)
  })

/** It goes as soon as the page has its heading, be it the form or something else. */
export function replaceFirstForm(root: HTMLElement) {
  const observer = new MutationObserver(() => {
    if (!root.querySelector('h1')) return
    firstForm()?.remove()
    observer.disconnect()
  })
  observer.observe(root, { childList: true, subtree: true })
}
