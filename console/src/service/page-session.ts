import { useSyncExternalStore } from 'react'
import { readSession, type Session } from './session.ts'

/** `with`: the session that the page was opened with. `lostTo`: what its browser has instead; null: none. */
type PageSession = { with?: Session | undefined; lostTo?: Session | null | undefined }

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

/** What the requests of the page name. Undefined: it was opened with none. */
export const pageSessionId = () => page.with?.id

/** From another session on nothing of the page is true, and it sends nothing. */
export const isReplaced = () => Boolean(page.lostTo)

export async function openPage(): Promise<Session | undefined> {
  const session = await readSession()
  change({ with: session })
  return session
}

let asking: Promise<boolean> | undefined

/**
 * After a refusal: whether the page has the browser's session, if need be a new one of the same key with the same scopes. Otherwise
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
  change(isSame ? { with: now } : { with: page.with, lostTo: now })
  return isSame
}

const whoseIs = ({ by, scopes, organization_id }: Session) =>
  JSON.stringify([by.type, by.type === 'key' && by.id, organization_id, [...scopes].sort()])
