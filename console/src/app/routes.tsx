import { administratorsRoutes } from '../administrators/routes.tsx'
import { auditLogRoutes } from '../audit-log/routes.tsx'
import { deliveriesRoutes } from '../deliveries/routes.tsx'
import { MissingPage } from '../design/missing-page.tsx'
import { directoriesRoutes, directoryLinkRoutes } from '../directories/routes.tsx'
import { SessionGate } from '../entrance/session-gate.tsx'
import { SignedInPage } from '../entrance/signed-in-page.tsx'
import { eventsRoutes } from '../events/routes.tsx'
import { groupsRoutes } from '../groups/routes.tsx'
import { homeRoutes } from '../home/routes.tsx'
import { invitationRoutes } from '../invitation/routes.tsx'
import { keysRoutes } from '../keys/routes.tsx'
import { linkRoutes } from '../link/routes.tsx'
import { organizationsRoutes } from '../organizations/routes.tsx'
import { personsRoutes } from '../persons/routes.tsx'
import { Navigate, type RouteObject } from '../router/index.ts'
import { isOperatorsPage, pageOrganization } from '../service/address.ts'
import { settingsRoutes } from '../settings/routes.tsx'
import { signInRoutes } from '../sign-in/routes.tsx'
import { webhooksRoutes } from '../webhooks/routes.tsx'
import { BrokenPage } from './broken-page.tsx'
import { Shell } from './shell.tsx'

const ofOrganization = [
  ...homeRoutes,
  ...webhooksRoutes,
  ...deliveriesRoutes,
  ...eventsRoutes,
  ...personsRoutes,
  ...groupsRoutes,
  ...signInRoutes,
  ...directoriesRoutes,
  ...keysRoutes,
  ...auditLogRoutes,
  ...settingsRoutes,
  ...administratorsRoutes,
]

const ofOperator = [{ path: '/', element: <Navigate to="/organizations" /> }, ...organizationsRoutes]

const missing = { path: '*', element: <MissingPage /> }

const ofNobody = [
  ...linkRoutes,
  ...directoryLinkRoutes,
  ...invitationRoutes,
  {
    path: '*',
    element: (
      <main>
        <MissingPage />
      </main>
    ),
  },
]

/** The scripts of pages are loaded when one of them is opened first. */
const signedIn = (sections: RouteObject[]): RouteObject[] => [
  {
    element: <SessionGate />,
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
export function routesOfPage(): RouteObject[] {
  if (pageOrganization) return signedIn(ofOrganization)
  return isOperatorsPage ? signedIn(ofOperator) : ofNobody
}
