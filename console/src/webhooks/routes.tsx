import type { RouteObject } from '../router/index.ts'

export const webhooksRoutes: RouteObject[] = [
  { path: '/webhooks', lazy: () => import('./webhooks-page.tsx') },
  { path: '/webhooks/new', lazy: () => import('./new-webhook-page.tsx') },
  {
    path: '/webhooks/:webhookId',
    lazy: () => import('./webhook-page.tsx'),
    children: [
      { index: true, lazy: () => import('./overview.tsx') },
      { path: 'triggers', lazy: () => import('./triggers.tsx') },
      { path: 'settings', lazy: () => import('./webhook-settings.tsx') },
      { path: 'receiver-code', lazy: () => import('./receiver-code.tsx') },
      { path: 'dry-run', lazy: () => import('./dry-run.tsx') },
    ],
  },
]
