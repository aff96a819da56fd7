import { focusManager } from '@tanstack/react-query'

/** A page that was touched within this time asks by itself for what is new. */
const presentMs = 3_600_000

const inputs = ['keydown', 'pointerdown', 'visibilitychange', 'wheel']

/**
 * Takes a page that nobody has touched for an hour for one that nobody sees: queries repeat themselves no more, nor are events followed.
 * Each request is a use of the session, which would not end by itself while a page is left open.
 */
export function watchPresence(page: EventTarget) {
  let timer: ReturnType<typeof setTimeout>
  const touch = () => {
    clearTimeout(timer)
    timer = setTimeout(() => focusManager.setFocused(false), presentMs)
    focusManager.setFocused(undefined)
  }
  for (const input of inputs) page.addEventListener(input, touch, { capture: true, passive: true })
  touch()
}
