import { useEffect } from 'react'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Stack } from '../design/page.tsx'
import { homePathOf, pageOrganization } from '../service/address.ts'
import { giveUpWaiting, goOnAfterSignIn, usePageSession } from '../service/page-session.ts'
import type { Session } from '../service/session.ts'
import { onSignInElsewhere } from './other-tabs.ts'
import { SignInForm } from './sign-in-form.tsx'
import { Continue, useWaysIn } from './ways-in.tsx'

/** Something grave waits for a sign-in younger than an hour. Afterwards it is done by itself, and nothing that was typed is lost. */
export function SignInAnew({ session }: { session: Session }) {
  const { waiting, lostTo } = usePageSession()
  return (
    <Dialog
      isOpen={waiting !== undefined && lostTo === undefined}
      title="Sign in again"
      actions={<Button onClick={giveUpWaiting}>Cancel</Button>}
      onClose={giveUpWaiting}
    >
      <Stack>
        <p>
          This needs a sign-in younger than an hour. What you typed is still here, and is sent as soon as you have
          signed in again.
        </p>
        {session.by.type === 'person' ? <AsPerson /> : <ByKey />}
      </Stack>
    </Dialog>
  )
}

const ByKey = () => <SignInForm onSignedIn={goOnAfterSignIn} of={pageOrganization ?? 'operator'} />

function AsPerson() {
  const ways = useWaysIn(pageOrganization ?? 'operator')
  useEffect(() => onSignInElsewhere(goOnAfterSignIn), [])
  if (ways === undefined) return null
  if (!ways?.people) return <p>There is no provider to sign in with any more. Sign out, and sign in with a key.</p>
  return (
    <>
      <p>The provider opens in a new tab. It asks you anew, except where a provider cannot be made to.</p>
      <Continue people={ways.people} isFresh isInNewTab returnTo={signedInPath()} />
    </>
  )
}

export const signedInPath = () => `${homePathOf(pageOrganization)}signed-in`
