import type { RouteObject } from '../router/index.ts'

export const auditLogRoutes: RouteObject[] = [{ path: '/audit-log', lazy: () => import('./audit-log-page.tsx') }]
