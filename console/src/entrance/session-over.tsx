import { useEffect } from 'react'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Stack } from '../design/page.tsx'
import { ShortText } from '../design/text.tsx'
import { pageOrganization } from '../service/address.ts'
import { goOnIfSignedIn, openPage, usePageSession } from '../service/page-session.ts'
import type { Session } from '../service/session.ts'
import { isAdmin, nameOf, onlyReads, readsAll } from '../session/session.ts'
import { onSignInElsewhere } from './other-tabs.ts'
import { signedInPath } from './sign-in-anew.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { Continue, useWaysIn } from './ways-in.tsx'

/** When the page loses its session, this asks to sign in above the page: what was typed there stays. */
export function SessionOver({ session }: { session: Session }) {
  const { lostTo } = usePageSession()
  return (
    <Dialog
      isOpen={lostTo !== undefined}
      isModal
      title={lostTo ? 'This browser is signed in anew' : 'Your session is over'}
      onClose={() => undefined}
    >
      {lostTo ? (
        <Replaced session={session} now={lostTo} />
      ) : (
        <p>Sign in again to go on where you were. What you typed is still here.</p>
      )}
      <WaysBack />
    </Dialog>
  )
}

/** By a provider in a new tab, so that this page keeps what was typed, or by a key. */
function WaysBack() {
  const of = pageOrganization ?? 'operator'
  const ways = useWaysIn(of)
  useEffect(() => onSignInElsewhere(goOnIfSignedIn), [])
  return (
    <Stack>
      {ways?.people && <Continue people={ways.people} isInNewTab returnTo={signedInPath()} />}
      {ways?.hasKeySignIn !== false && <SignInForm onSignedIn={openPage} of={of} />}
    </Stack>
  )
}

/** The one whose page it was may go on by signing in; it is then the other's page that stops. */
const Replaced = ({ session, now }: { session: Session; now: Session }) => (
  <>
    <p>
      You opened this page {how(session)}. Since then somebody signed in {how(now)} in another tab. What you did here
      last was not done, and nothing more is sent.
    </p>
    <p>
      <Button icon="refresh" onClick={() => location.reload()}>
        {now.by.type === 'person' ? 'Load the page as they see it' : 'Load the page with that key'}
      </Button>
    </p>
    <p>Or sign in here to go on where you were. What you typed is still here.</p>
  </>
)

const wordsFor = (session: Session) => {
  const { by } = session
  if (by.type === 'operator') return 'the operator key'
  if (by.type === 'person') return <ShortText>{nameOf(session)}</ShortText>
  return (
    <>
      {by.name ? (
        <>
          the key <ShortText>{by.name}</ShortText>
        </>
      ) : (
        'a key without a name'
      )}{' '}
      ({powerOf(session)})
    </>
  )
}

/** After "opened this page" or "somebody signed in". */
const how = (session: Session) => (
  <>
    {session.by.type === 'person' ? 'as' : 'with'} {wordsFor(session)}
  </>
)

function powerOf(session: Session) {
  if (isAdmin(session)) return 'an admin key'
  return onlyReads(session) && readsAll(session) ? 'which reads everything' : session.scopes.join(', ')
}
