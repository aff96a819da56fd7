import type { RouteObject } from 'react-router'

/** Without a session: for somebody who was sent a link. */
export const linkRoutes: RouteObject[] = [{ path: '/link', lazy: () => import('./link-page.tsx') }]
