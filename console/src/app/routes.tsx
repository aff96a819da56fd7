import { createBrowserRouter } from 'react-router'
import { auditLogRoutes } from '../audit-log/routes.tsx'
import { deliveriesRoutes } from '../deliveries/routes.tsx'
import { eventsRoutes } from '../events/routes.tsx'
import { groupsRoutes } from '../groups/routes.tsx'
import { homeRoutes } from '../home/routes.tsx'
import { keysRoutes } from '../keys/routes.tsx'
import { linkRoutes } from '../link/routes.tsx'
import { organizationsRoutes } from '../organizations/routes.tsx'
import { personsRoutes } from '../persons/routes.tsx'
import { consolePath } from '../service/address.ts'
import { askForSession, SessionGate } from '../session/session-gate.tsx'
import { settingsRoutes } from '../settings/routes.tsx'
import { signInRoutes } from '../sign-in/routes.tsx'
import { webhooksRoutes } from '../webhooks/routes.tsx'
import { BrokenPage, MissingPage } from './missing-page.tsx'
import { Shell } from './shell.tsx'

const sections = [
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
  ...organizationsRoutes,
]

/** Each section has its own pages, loaded when they are opened first. */
export const router = createBrowserRouter(
  [
    ...linkRoutes,
    {
      element: <SessionGate />,
      loader: askForSession,
      shouldRevalidate: () => false,
      // Until the script of the page has come.
      hydrateFallbackElement: <></>,
      errorElement: <BrokenPage />,
      children: [
        {
          element: <Shell />,
          children: [
            { errorElement: <BrokenPage />, children: [...sections, { path: '*', element: <MissingPage /> }] },
          ],
        },
      ],
    },
  ],
  { basename: consolePath },
)
