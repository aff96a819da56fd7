import type { RouteObject } from '../router/index.ts'

export const organizationsRoutes: RouteObject[] = [
  { path: '/organizations', lazy: () => import('./organizations-page.tsx') },
  { path: '/organizations/new', lazy: () => import('./new-organization-page.tsx') },
  { path: '/organizations/processes', lazy: () => import('./processes-page.tsx') },
  { path: '/organizations/regions', lazy: () => import('./regions-page.tsx') },
  { path: '/organizations/:id', lazy: () => import('./organization-page.tsx') },
]
