import { Component, createContext, type ReactNode, use, useEffect, useLayoutEffect } from 'react'
import { componentOf, navigate, type Place, useShown } from './router.ts'

type Level = { depth: number; context?: unknown }

const LevelContext = createContext<Level>({ depth: 0 })
const ErrorContext = createContext<unknown>(undefined)

/** The page that the address names, in what stands around it. */
export const Pages = () => (useShown() ? <Below level={{ depth: 0 }} /> : null)

/** Where the next inner part of the page stands. `context`: for `useOutletContext` in it. */
export function Outlet({ context }: { context?: unknown }) {
  const { depth } = use(LevelContext)
  return <Below level={{ depth: depth + 1, context }} />
}

export const useOutletContext = <Context,>(): Context => use(LevelContext).context as Context

/** Why the page failed, in its `errorElement`. */
export const useRouteError = () => use(ErrorContext)

function Below({ level }: { level: Level }) {
  const shown = useShown()
  const route = shown?.routes[level.depth]
  if (!shown || !route) return null
  const page = (
    <LevelContext value={level}>
      <RoutePage depth={level.depth} />
    </LevelContext>
  )
  if (!route.errorElement) return page
  return (
    <Boundary place={shown.place} instead={route.errorElement} key={level.depth}>
      {page}
    </Boundary>
  )
}

function RoutePage({ depth }: { depth: number }) {
  const shown = useShown()
  const route = shown?.routes[depth]
  if (!shown || !route) return null
  if (route.element) return route.element
  if (!route.lazy) return <Outlet />
  const Page = componentOf(route)
  if (!Page) throw new ScriptFailure(shown.failure)
  return <Page />
}

/** The script of a page could not be loaded: it is not a fault of the page. */
export class ScriptFailure extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

type BoundaryProps = { place: Place; instead: ReactNode; children: ReactNode }

/** React knows no other form of it than a class. */
class Boundary extends Component<BoundaryProps, { error?: unknown; hasFailed: boolean }> {
  override state = { error: undefined as unknown, hasFailed: false }

  static getDerivedStateFromError(error: unknown) {
    return { error, hasFailed: true }
  }

  override componentDidUpdate({ place }: BoundaryProps) {
    if (this.state.hasFailed && place !== this.props.place) this.setState({ error: undefined, hasFailed: false })
  }

  override render() {
    const { error, hasFailed } = this.state
    return hasFailed ? <ErrorContext value={error}>{this.props.instead}</ErrorContext> : this.props.children
  }
}

/** Leads on at once. */
export function Navigate({ to }: { to: string }) {
  useEffect(() => void navigate(to, { replace: true }), [to])
  return null
}

const positions = new Map<string, number>()

/** Each page begins at its top; where one goes back to, it is as it was left. */
export function ScrollRestoration() {
  const shown = useShown()
  const { key = '' } = shown?.place ?? {}
  useEffect(() => {
    const remember = () => void positions.set(key, scrollY)
    addEventListener('scroll', remember, { passive: true })
    return () => removeEventListener('scroll', remember)
  }, [key])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each place
  useLayoutEffect(() => {
    if (!shown || shown.keepsScroll) return
    scrollTo(0, shown.isBack ? (positions.get(key) ?? 0) : 0)
  }, [key])
  return null
}
