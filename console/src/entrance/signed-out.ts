import { entrancePath } from '../service/address.ts'

const mark = 'signed-out'

/** Where a person is led after signing out: their session with the provider goes on, and the page says so. */
export const signedOutPath = `${entrancePath}?${mark}`

/** Whether a person has just signed out. It is told once. */
export function takeSignedOut(): boolean {
  if (!new URLSearchParams(location.search).has(mark)) return false
  history.replaceState(history.state, '', entrancePath)
  return true
}
