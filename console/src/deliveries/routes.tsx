import type { RouteObject } from '../router/index.ts'

export const deliveriesRoutes: RouteObject[] = [
  { path: '/deliveries', lazy: () => import('./deliveries-page.tsx') },
  { path: '/deliveries/:webhookId/:deliveryId', lazy: () => import('./delivery-page.tsx') },
]
