import type { RouteObject } from 'react-router'

export const homeRoutes: RouteObject[] = [{ path: '/', lazy: () => import('./home-page.tsx') }]
