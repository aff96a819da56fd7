import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Page } from '../design/page.tsx'
import { Failure } from '../design/state.tsx'
import { Outlet, useLocation } from '../router/index.ts'
import { giveUpWaiting, openPage, usePageSession } from '../service/page-session.ts'
import { queries } from '../service/queries.ts'
import { SessionContext } from '../session/session.ts'
import { SessionOver } from './session-over.tsx'
import { SignInAnew } from './sign-in-anew.tsx'
import { PageSignIn } from './sign-in-page.tsx'

const sessionQuery = { queryKey: ['session'], queryFn: async () => (await openPage()) ?? null }

/** Beside the script of the page, not after it. */
export const askForSession = () => void queries.prefetchQuery(sessionQuery)

/** Lets nobody further who is not signed in. The address stays: after the sign-in the page opens that was asked for. */
export function SessionGate() {
  const asked = useQuery({
    ...sessionQuery,
    // What is being typed must stay, also where the session has ended: `SessionOver` asks for it above the page.
    staleTime: 'static',
  })
  const { with: session } = usePageSession()
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what waited belonged to the page that is left
  useEffect(() => giveUpWaiting, [pathname])
  if (session)
    return (
      <SessionContext value={session}>
        <Outlet />
        <SessionOver session={session} />
        <SignInAnew session={session} />
      </SessionContext>
    )
  if (asked.isPending) return null
  if (asked.isError)
    return (
      <Page title="Signet">
        <Failure error={asked.error} retry={asked.refetch} />
      </Page>
    )
  return <PageSignIn onSignedIn={asked.refetch} />
}
