import type { RouteObject } from '../router/index.ts'

export const settingsRoutes: RouteObject[] = [{ path: '/settings', lazy: () => import('./settings-page.tsx') }]
