import type { RouteObject } from 'react-router'

export const eventsRoutes: RouteObject[] = [
  { path: '/events', lazy: () => import('./events-page.tsx') },
  { path: '/events/:id', lazy: () => import('./event-page.tsx') },
]
