import type { RouteObject } from '../router/index.ts'

export const directoriesRoutes: RouteObject[] = [
  { path: '/sign-in/directories', lazy: () => import('./directories-page.tsx') },
  { path: '/sign-in/directories/new', lazy: () => import('./new-directory-page.tsx') },
  {
    path: '/sign-in/directories/:id',
    lazy: () => import('./directory-page.tsx'),
    children: [
      { index: true, lazy: () => import('./overview.tsx') },
      { path: 'groups', lazy: () => import('./directory-groups.tsx') },
      { path: 'settings', lazy: () => import('./directory-settings.tsx') },
    ],
  },
]

/** Without a session: for somebody who was sent a link. */
export const directoryLinkRoutes: RouteObject[] = [
  { path: '/directory-link', lazy: () => import('./directory-link-page.tsx') },
]
