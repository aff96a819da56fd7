import { createBrowserRouter, Navigate, type RouteObject } from 'react-router'
import { administratorsRoutes } from '../administrators/routes.tsx'
import { auditLogRoutes } from '../audit-log/routes.tsx'
import { deliveriesRoutes } from '../deliveries/routes.tsx'
import { BrokenPage, MissingPage } from '../design/missing-page.tsx'
import { askForSession, SessionGate } from '../entrance/session-gate.tsx'
import { Entrance } from '../entrance/sign-in-page.tsx'
import { SignedInPage } from '../entrance/signed-in-page.tsx'
import { eventsRoutes } from '../events/routes.tsx'
import { groupsRoutes } from '../groups/routes.tsx'
import { homeRoutes } from '../home/routes.tsx'
import { invitationRoutes } from '../invitation/routes.tsx'
import { keysRoutes } from '../keys/routes.tsx'
import { linkRoutes } from '../link/routes.tsx'
import { organizationsRoutes } from '../organizations/routes.tsx'
import { personsRoutes } from '../persons/routes.tsx'
import { isOperatorsPage, pageOrganization, pagesPath } from '../service/address.ts'
import { settingsRoutes } from '../settings/routes.tsx'
import { signInRoutes } from '../sign-in/routes.tsx'
import { webhooksRoutes } from '../webhooks/routes.tsx'
import { Shell } from './shell.tsx'

const ofOrganization = [
  ...homeRoutes,
  ...webhooksRoutes,
  ...deliveriesRoutes,
  ...eventsRoutes,
  ...personsRoutes,
  ...groupsRoutes,
  ...signInRoutes,
  ...keysRoutes,
  ...auditLogRoutes,
  ...settingsRoutes,
  ...administratorsRoutes,
]

const ofOperator = [{ path: '/', element: <Navigate to="/organizations" replace /> }, ...organizationsRoutes]

const missing = { path: '*', element: <MissingPage /> }

const ofNobody = [
  ...linkRoutes,
  ...invitationRoutes,
  { path: '/', element: <Entrance /> },
  {
    path: '*',
    element: (
      <main>
        <MissingPage />
      </main>
    ),
  },
]

/** Each section has its own pages, loaded when they are opened first. */
const signedIn = (sections: RouteObject[]): RouteObject[] => [
  {
    element: <SessionGate />,
    loader: askForSession,
    shouldRevalidate: () => false,
    // Until the script of the page has come.
    hydrateFallbackElement: <></>,
    errorElement: <BrokenPage />,
    children: [
      { path: '/signed-in', element: <SignedInPage /> },
      {
        element: <Shell />,
        children: [{ errorElement: <BrokenPage />, children: [...sections, missing] }],
      },
    ],
  },
]

/** Pages of another organization are another load of the console: nothing that is in memory has two. */
function routesOfPage() {
  if (pageOrganization) return signedIn(ofOrganization)
  return isOperatorsPage ? signedIn(ofOperator) : ofNobody
}

export const router = createBrowserRouter(routesOfPage(), { basename: pagesPath || '/' })
