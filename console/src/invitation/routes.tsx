import type { RouteObject } from '../router/index.ts'

/** Without a session: for somebody who is to become an administrator. */
export const invitationRoutes: RouteObject[] = [{ path: '/invitation', lazy: () => import('./invitation-page.tsx') }]
