import type { ComponentType, ReactNode } from 'react'

export type RouteObject = {
  /** From the root, or from the path of the parent. `:name` is any one part, `*` is any path. */
  path?: string
  index?: true
  element?: ReactNode
  /** The script of a page, loaded when it is opened first. */
  lazy?: () => Promise<{ Component: ComponentType }>
  /** In place of what is below, where that fails. */
  errorElement?: ReactNode
  children?: readonly RouteObject[]
}

export type Branch = { routes: readonly RouteObject[]; parts: readonly string[] }
export type Match = { routes: readonly RouteObject[]; params: Readonly<Record<string, string | undefined>> }

const partsOf = (path: string) => path.split('/').filter(Boolean)

/** Each page with what stands around it. Those that name more of their path are looked at first. */
export const branchesOf = (routes: readonly RouteObject[]): Branch[] =>
  spread(routes, [], '').toSorted((one, other) => vagueness(one) - vagueness(other))

function spread(routes: readonly RouteObject[], around: readonly RouteObject[], base: string): Branch[] {
  return routes.flatMap((route) => {
    const path = route.path?.startsWith('/') ? route.path : `${base}/${route.path ?? ''}`
    const inner = [...around, route]
    return route.children ? spread(route.children, inner, path) : [{ routes: inner, parts: partsOf(path) }]
  })
}

const vagueness = ({ parts }: Branch) =>
  parts.includes('*') ? Number.POSITIVE_INFINITY : parts.filter((part) => part.startsWith(':')).length

/** A path that is of no page has no routes, unless one of them takes any path. */
export function matchPath(branches: readonly Branch[], pathname: string): Match {
  const given = partsOf(pathname)
  for (const { routes, parts } of branches) {
    const params = paramsOf(parts, given)
    if (params) return { routes, params }
  }
  return { routes: [], params: {} }
}

function paramsOf(parts: readonly string[], given: readonly string[]): Match['params'] | undefined {
  if (parts.at(-1) === '*') return {}
  if (parts.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [place, part] of parts.entries()) {
    const value = decoded(given[place] ?? '')
    if (part.startsWith(':')) params[part.slice(1)] = value
    else if (part.toLowerCase() !== value.toLowerCase()) return undefined
  }
  return params
}

/** Somebody may have typed what is no encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
