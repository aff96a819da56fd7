import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import type { Root } from 'react-dom/client'
import { LeaveDialog } from '../calls/leave-dialog.tsx'
import { NetworkBar } from '../calls/network-bar.tsx'
import { Toasts } from '../design/toasts.tsx'
import { askForSession } from '../entrance/session-gate.tsx'
import { watchNetwork } from '../network/network.ts'
import { Pages, startRouter } from '../router/index.ts'
import { isOperatorsPage, pageOrganization, pagesPath } from '../service/address.ts'
import { queries } from '../service/queries.ts'
import { watchPresence } from '../session/presence.ts'
import { routesOfPage } from './routes.tsx'

/** All pages but the first one. */
export function start(root: Root) {
  watchPresence(window)
  watchNetwork()
  // Beside the script of the page, not after it.
  if (pageOrganization || isOperatorsPage) askForSession()
  startRouter(routesOfPage(), pagesPath)
  root.render(<Console />)
}

const Console = () => (
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queries}>
      <NetworkBar />
      <Pages />
      <LeaveDialog />
      <Toasts />
    </QueryClientProvider>
  </CSPProvider>
)
