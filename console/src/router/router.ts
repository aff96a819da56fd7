import type { ComponentType } from 'react'
import { createState } from '../state/state.ts'
import { hasUnsaved, leave } from './leaving.ts'
import { type Branch, branchesOf, type Match, matchPath, type RouteObject } from './routes.ts'

/** `state`: what a page keeps with this entry of the history. */
export type Place = { pathname: string; search: string; hash: string; key: string; state: unknown }
/** `failure`: why a script of the page could not be loaded. `isBack`: by the browser's own buttons. */
type Shown = Match & { place: Place; failure?: unknown; isBack: boolean; keepsScroll: boolean }
export type NavigateOptions = { replace?: boolean; preventScrollReset?: boolean; state?: unknown }
/** What the router keeps with each entry of the browser's history. */
type Entry = { key: string; number: number; state?: unknown }

let basename = ''
let branches: Branch[] = []
const shown = createState<Shown | undefined>(undefined)
let turn = 0
let entry: Entry = { key: 'first', number: 0 }
/** Also where a page has no `crypto.randomUUID`: over http. */
const newKey = () => Math.random().toString(36).slice(2)

const components = new Map<RouteObject, ComponentType>()

export const useShown = shown.use
export const componentOf = (route: RouteObject) => components.get(route)

/** For the first page there is no router yet, nor a need of one. */
export const hrefOf = (path: string) => basename + path

/** Pages lie below `base`, such as `/console/operator`. */
export function startRouter(routes: readonly RouteObject[], base: string) {
  basename = base
  branches = branchesOf(routes)
  entry = history.state?.key ? history.state : { key: newKey(), number: 0 }
  history.replaceState({ ...history.state, ...entry }, '')
  history.scrollRestoration = 'manual'
  addEventListener('popstate', onPop)
  void show(placeOfAddress(entry), { isBack: true, keepsScroll: false }, () => undefined)
}

function placeOfAddress({ key, state }: Entry): Place {
  const { pathname, search, hash } = location
  return { pathname: pathname.slice(basename.length) || '/', search, hash, key, state }
}

/** Stays at the page that is there until the scripts of the next one have come. The last one that was asked for wins. */
async function show(place: Place, how: Pick<Shown, 'isBack' | 'keepsScroll'>, commit: () => void) {
  const own = ++turn
  const match = matchPath(branches, place.pathname)
  const missing = missingIn(match)
  const failure = missing.length > 0 ? await load(missing) : undefined
  if (own !== turn) return
  commit()
  shown.set({ ...match, ...how, place, ...(failure !== undefined && { failure }) })
}

const missingIn = ({ routes }: Match) => routes.filter((route) => route.lazy && !components.has(route))

/** Gives why it failed. */
const load = (routes: readonly RouteObject[]) =>
  Promise.all(
    routes.map(async (route) => {
      const page = await route.lazy?.()
      if (page) components.set(route, page.Component)
    }),
  ).then(
    () => undefined,
    (cause: unknown) => cause ?? new Error('the script failed'),
  )

/** Once more the page whose script could not be loaded. False: it could not. */
export async function showAgain(): Promise<boolean> {
  const failed = shown.get()
  if (!failed || (await load(missingIn(failed))) !== undefined || shown.get() !== failed) return false
  const { failure: _, ...rest } = failed
  shown.set({ ...rest, place: { ...failed.place } })
  return true
}

/** To a path below the base, or to `?…` of the same page. Resolves when the page is there, or as soon as it has to be asked for. */
export function navigate(to: string, options: NavigateOptions = {}): Promise<void> {
  const target = new URL(to, `${location.origin}${shown.get()?.place.pathname ?? '/'}`)
  const isOtherPage = target.pathname !== shown.get()?.place.pathname
  const go = () => proceed(target, options)
  if (!isOtherPage || !hasUnsaved()) return go()
  leave(go)
  return Promise.resolve()
}

function proceed({ pathname, search, hash }: URL, options: NavigateOptions) {
  const { replace = false, preventScrollReset = false, state } = options
  const next = { key: newKey(), number: entry.number + (replace ? 0 : 1), state }
  const place = { pathname, search, hash, key: next.key, state }
  return show(place, { isBack: false, keepsScroll: preventScrollReset }, () => {
    entry = next
    history[replace ? 'replaceState' : 'pushState'](next, '', hrefOf(pathname + search + hash))
  })
}

let isAllowed = false

/** The address has changed already: where something typed would be lost, it goes back until that has been asked. */
function onPop({ state }: PopStateEvent) {
  const next: Entry = state?.key ? state : { key: newKey(), number: entry.number + 1 }
  if (!state?.key) history.replaceState({ ...state, ...next }, '')
  const place = placeOfAddress(next)
  const steps = next.number - entry.number
  if (steps === 0 && place.key === shown.get()?.place.key) return
  if (hasUnsaved() && !isAllowed && place.pathname !== shown.get()?.place.pathname && steps !== 0) {
    history.go(-steps)
    leave(() => {
      isAllowed = true
      history.go(steps)
    })
    return
  }
  isAllowed = false
  entry = next
  void show(place, { isBack: true, keepsScroll: false }, () => undefined)
}
