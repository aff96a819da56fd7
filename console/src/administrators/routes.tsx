import type { RouteObject } from '../router/index.ts'

export const administratorsRoutes: RouteObject[] = [
  { path: '/settings/administrators', lazy: () => import('./administrators-page.tsx') },
  { path: '/settings/administrators/invite', lazy: () => import('./invite-page.tsx') },
  { path: '/settings/sessions', lazy: () => import('./sessions-page.tsx') },
]
