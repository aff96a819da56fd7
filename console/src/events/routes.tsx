import type { RouteObject } from '../router/index.ts'

export const eventsRoutes: RouteObject[] = [
  { path: '/events', lazy: () => import('./events-page.tsx') },
  { path: '/events/:id', lazy: () => import('./event-page.tsx') },
]
