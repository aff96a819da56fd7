import type { RouteObject } from 'react-router'

export const signInRoutes: RouteObject[] = [{ path: '/sign-in', lazy: () => import('./sign-in-page.tsx') }]
