import type { RouteObject } from '../router/index.ts'

export const groupsRoutes: RouteObject[] = [
  { path: '/groups', lazy: () => import('./groups-page.tsx') },
  { path: '/groups/new', lazy: () => import('./new-group-page.tsx') },
  { path: '/groups/:name', lazy: () => import('./group-page.tsx') },
  // See `groupPath`.
  { path: '/groups/:name/members', lazy: () => import('./group-page.tsx') },
]
