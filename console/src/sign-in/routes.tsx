import type { RouteObject } from '../router/index.ts'

export const signInRoutes: RouteObject[] = [
  { path: '/sign-in', lazy: () => import('./credentials-page.tsx') },
  { path: '/sign-in/credentials/new', lazy: () => import('./choose-provider-page.tsx') },
  { path: '/sign-in/credentials/new/:provider', lazy: () => import('./new-credential-page.tsx') },
  { path: '/sign-in/credentials/:clientId', lazy: () => import('./credential-page.tsx') },
  { path: '/sign-in/applications', lazy: () => import('./applications-page.tsx') },
  { path: '/sign-in/applications/new', lazy: () => import('./new-application-page.tsx') },
  { path: '/sign-in/applications/:clientId', lazy: () => import('./application-page.tsx') },
  { path: '/sign-in/applications/:clientId/logouts/:deliveryId', lazy: () => import('./logout-page.tsx') },
  { path: '/sign-in/resources', lazy: () => import('./resources-page.tsx') },
  { path: '/sign-in/resources/new', lazy: () => import('./new-resource-page.tsx') },
  { path: '/sign-in/resources/:id', lazy: () => import('./resource-page.tsx') },
  { path: '/sign-in/links', lazy: () => import('./links-page.tsx') },
  { path: '/sign-in/links/new', lazy: () => import('./new-link-page.tsx') },
  { path: '/sign-in/sign-ins', lazy: () => import('./sign-ins-page.tsx') },
]
