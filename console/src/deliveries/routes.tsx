import type { RouteObject } from 'react-router'

export const deliveriesRoutes: RouteObject[] = [{ path: '/deliveries', lazy: () => import('./deliveries-page.tsx') }]
