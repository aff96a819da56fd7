import { useSyncExternalStore } from 'react'
import { readSession, type Session } from './session.ts'

/**
 * `with`: the session that the page was opened with. `lostTo`: what its browser has instead; null: none. `waiting`: what waits for a new
 * sign-in, because the one of this session is too old for it.
 */
type PageSession = {
  with?: Session | undefined
  lostTo?: Session | null | undefined
  waiting?: (() => unknown) | undefined
}

let page: PageSession = {}
const listeners = new Set<() => void>()

function change(next: PageSession) {
  page = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const usePageSession = (): PageSession => useSyncExternalStore(subscribe, () => page)

/** Within the pages of somebody who is signed in. */
export const pageSession = () => page.with

/** What the requests of the page name. Undefined: it was opened with none. */
export const pageSessionId = () => page.with?.id

/** From another session on nothing of the page is true, and it sends nothing. */
export const isReplaced = () => Boolean(page.lostTo)

export async function openPage(): Promise<Session | undefined> {
  const session = await readSession()
  change({ with: session })
  return session
}

/** The page asks to sign in anew, and then does it again by itself. */
export const waitForSignIn = (again: () => unknown) => change({ ...page, waiting: again })

export const giveUpWaiting = () => change({ ...page, waiting: undefined })

/** After a sign-in, here or in another tab: what waited for it goes on, if it is of the same one; otherwise the page says whose it is. */
export async function goOnAfterSignIn() {
  const { waiting, with: before } = page
  const now = await readSession()
  // Two signs of one sign-in come together, the other tab's word and the return to this one; what waited is done once.
  if (now?.id === before?.id || !waiting || page.waiting !== waiting) return
  if (!now || !before || whoseIs(now) !== whoseIs(before)) return change({ with: before, lostTo: now ?? null })
  change({ with: now })
  await waiting()
}

/** After a sign-in in another tab: the page goes on if it was of the same key or person. What another one did leaves it as it is. */
export async function goOnIfSignedIn() {
  const now = await readSession()
  if (now && page.with && whoseIs(now) === whoseIs(page.with)) change({ with: now })
}

let asking: Promise<boolean> | undefined

/**
 * After a refusal: whether the page has the browser's session, if need be a new one of the same key or person with the same scopes. Otherwise
 * the page says what became of it. However many requests were refused, the service is asked once.
 */
export function hasSession(): Promise<boolean> {
  asking ??= compare().finally(() => {
    asking = undefined
  })
  return asking
}

async function compare(): Promise<boolean> {
  const now = (await readSession()) ?? null
  const isSame = now !== null && page.with !== undefined && whoseIs(now) === whoseIs(page.with)
  change(isSame ? { ...page, with: now, lostTo: undefined } : { with: page.with, lostTo: now })
  return isSame
}

const whoseIs = ({ by, scopes, organization_id }: Session) =>
  JSON.stringify([by.type, by.type !== 'operator' && by.id, organization_id, [...scopes].sort()])
