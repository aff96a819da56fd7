import type { RouteObject } from 'react-router'

export const organizationsRoutes: RouteObject[] = [
  { path: '/organizations', lazy: () => import('./organizations-page.tsx') },
]
