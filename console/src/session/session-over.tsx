import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { ShortText } from '../design/text.tsx'
import { pageOrganization } from '../service/address.ts'
import { openPage, usePageSession } from '../service/page-session.ts'
import type { Session } from '../service/session.ts'
import { isAdmin, onlyReads, readsAll } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'

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
      <SignInForm onSignedIn={openPage} of={pageOrganization ?? 'operator'} />
    </Dialog>
  )
}

/** The one whose page it was may go on by signing in; it is then the other's page that stops. */
const Replaced = ({ session, now }: { session: Session; now: Session }) => (
  <>
    <p>
      You opened this page with {wordsFor(session)}. Since then somebody signed in with {wordsFor(now)} in another tab.
      What you did here last was not done, and nothing more is sent.
    </p>
    <p>
      <Button icon="refresh" onClick={() => location.reload()}>
        Load the page with that key
      </Button>
    </p>
    <p>Or sign in here to go on where you were. What you typed is still here.</p>
  </>
)

const wordsFor = (session: Session) => {
  if (session.by.type === 'operator') return 'the operator key'
  const { name } = session.by
  return (
    <>
      {name ? (
        <>
          the key <ShortText>{name}</ShortText>
        </>
      ) : (
        'an unnamed key'
      )}{' '}
      ({powerOf(session)})
    </>
  )
}

function powerOf(session: Session) {
  if (isAdmin(session)) return 'an admin key'
  return onlyReads(session) && readsAll(session) ? 'which reads everything' : session.scopes.join(', ')
}
