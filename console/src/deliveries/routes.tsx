import type { RouteObject } from 'react-router'

export const deliveriesRoutes: RouteObject[] = [
  { path: '/deliveries', lazy: () => import('./deliveries-page.tsx') },
  { path: '/deliveries/:webhookId/:deliveryId', lazy: () => import('./delivery-page.tsx') },
]
