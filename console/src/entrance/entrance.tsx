import { type ComponentType, useEffect, useState } from 'react'
import { Notice } from '../design/state.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { SignInFrame, WhereFrom } from './sign-in-frame.tsx'
import { takeSignedOut } from './signed-out.ts'

/** Where anybody signs in: the pages below it are those of one organization each, or the operator's. */
export function Entrance() {
  const [organizationId, setOrganizationId] = useState('')
  const [isPersonOut] = useState(takeSignedOut)
  const OtherWays = useOtherWays()
  return (
    <SignInFrame>
      {isPersonOut && (
        <Notice title="You are signed out of the console.">
          Your session with the provider goes on. On a computer that others use, sign out there too.
        </Notice>
      )}
      <SignInForm onOrganization={setOrganizationId} />
      {OtherWays && <OtherWays organizationId={organizationId} />}
      <WhereFrom />
    </SignInFrame>
  )
}

/** They come after the form, which works without them, and may fail to come. */
function useOtherWays() {
  const [OtherWays, setOtherWays] = useState<ComponentType<{ organizationId: string }>>()
  useEffect(() => {
    import('./other-ways.tsx').then(
      (loaded) => setOtherWays(() => loaded.OtherWays),
      () => undefined,
    )
  }, [])
  return OtherWays
}
