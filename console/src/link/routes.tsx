import type { RouteObject } from '../router/index.ts'

/** Without a session: for somebody who was sent a link. */
export const linkRoutes: RouteObject[] = [{ path: '/link', lazy: () => import('./link-page.tsx') }]
