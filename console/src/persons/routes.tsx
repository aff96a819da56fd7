import type { RouteObject } from 'react-router'

export const personsRoutes: RouteObject[] = [{ path: '/persons', lazy: () => import('./persons-page.tsx') }]
