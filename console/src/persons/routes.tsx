import type { RouteObject } from '../router/index.ts'

export const personsRoutes: RouteObject[] = [
  { path: '/persons', lazy: () => import('./persons-page.tsx') },
  { path: '/persons/new', lazy: () => import('./new-person-page.tsx') },
  { path: '/persons/:id', lazy: () => import('./person-page.tsx') },
]
