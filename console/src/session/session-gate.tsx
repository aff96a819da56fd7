import { useQuery } from '@tanstack/react-query'
import { Outlet } from 'react-router'
import { Page } from '../design/page.tsx'
import { Failure } from '../design/state.tsx'
import { queries } from '../service/queries.ts'
import { readSession, SessionContext } from './session.ts'
import { SessionOver } from './session-over.tsx'
import { SignInPage } from './sign-in-page.tsx'

const sessionQuery = { queryKey: ['session'], queryFn: async () => (await readSession()) ?? null }

/** Beside the script of the page, not after it. */
export const askForSession = () => void queries.prefetchQuery(sessionQuery)

/** Lets nobody further who is not signed in. The address stays: after the sign-in the page opens that was asked for. */
export function SessionGate() {
  const session = useQuery({
    ...sessionQuery,
    // What is being typed must stay, also where the session has ended: `SessionOver` asks for it above the page.
    staleTime: 'static',
  })
  if (session.data)
    return (
      <SessionContext value={session.data}>
        <Outlet />
        <SessionOver session={session.data} />
      </SessionContext>
    )
  if (session.isPending) return null
  if (session.isError)
    return (
      <Page title="Signet">
        <Failure error={session.error} retry={session.refetch} />
      </Page>
    )
  return <SignInPage onSignedIn={session.refetch} />
}
