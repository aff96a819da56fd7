import type { RouteObject } from 'react-router'

export const auditLogRoutes: RouteObject[] = [{ path: '/audit-log', lazy: () => import('./audit-log-page.tsx') }]
