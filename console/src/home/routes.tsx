import type { RouteObject } from '../router/index.ts'

export const homeRoutes: RouteObject[] = [{ path: '/', lazy: () => import('./home-page.tsx') }]
