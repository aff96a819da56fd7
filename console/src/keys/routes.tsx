import type { RouteObject } from '../router/index.ts'

export const keysRoutes: RouteObject[] = [
  { path: '/keys', lazy: () => import('./api-keys-page.tsx') },
  { path: '/keys/new', lazy: () => import('./new-api-key-page.tsx') },
  { path: '/keys/verification', lazy: () => import('./verification-keys-page.tsx') },
]
