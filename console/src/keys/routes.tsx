import type { RouteObject } from 'react-router'

export const keysRoutes: RouteObject[] = [{ path: '/keys', lazy: () => import('./keys-page.tsx') }]
