import type { RouteObject } from 'react-router'

export const groupsRoutes: RouteObject[] = [{ path: '/groups', lazy: () => import('./groups-page.tsx') }]
