import { createState } from '../state/state.ts'
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

const page = createState<PageSession>({})

export const usePageSession = page.use

/** Within the pages of somebody who is signed in. */
export const pageSession = () => page.get().with

/** What the requests of the page name. Undefined: it was opened with none. */
export const pageSessionId = () => page.get().with?.id

/** From another session on nothing of the page is true, and it sends nothing. */
export const isReplaced = () => Boolean(page.get().lostTo)

export async function openPage(): Promise<Session | undefined> {
  const session = await readSession()
  page.set({ with: session })
  return session
}

/** The page asks to sign in anew, and then does it again by itself. */
export const waitForSignIn = (again: () => unknown) => page.set({ ...page.get(), waiting: again })

export const giveUpWaiting = () => page.set({ ...page.get(), waiting: undefined })

/** After a sign-in, here or in another tab: what waited for it goes on, if it is of the same one; otherwise the page says whose it is. */
export async function goOnAfterSignIn() {
  const { waiting, with: before } = page.get()
  const now = await readSession()
  // Two signs of one sign-in come together, the other tab's word and the return to this one; what waited is done once.
  if (now?.id === before?.id || !waiting || page.get().waiting !== waiting) return
  if (!now || !before || whoseIs(now) !== whoseIs(before)) return page.set({ with: before, lostTo: now ?? null })
  page.set({ with: now })
  await waiting()
}

/** After a sign-in in another tab: the page goes on if it was of the same key or person. What another one did leaves it as it is. */
export async function goOnIfSignedIn() {
  const now = await readSession()
  const before = pageSession()
  if (now && before && whoseIs(now) === whoseIs(before)) page.set({ with: now })
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
  const before = pageSession()
  const isSame = now !== null && before !== undefined && whoseIs(now) === whoseIs(before)
  page.set(isSame ? { ...page.get(), with: now, lostTo: undefined } : { with: before, lostTo: now })
  return isSame
}

const whoseIs = ({ by, scopes, organization_id }: Session) =>
  JSON.stringify([by.type, by.type !== 'operator' && by.id, organization_id, [...scopes].sort()])
