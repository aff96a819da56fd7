import { useEffect } from 'react'
import { homePathOf, pageOrganization } from '../service/address.ts'
import { tellOtherTabs } from './other-tabs.ts'
import { SignInFrame } from './sign-in-frame.tsx'

/** Where a sign-in leads that was begun in another tab, for something that is still open there. */
export function SignedInPage() {
  useEffect(() => {
    tellOtherTabs()
    window.close()
  }, [])
  return (
    <SignInFrame>
      <p role="status">You are signed in again. Go back to the page where you were.</p>
      <a href={homePathOf(pageOrganization)}>Home</a>
    </SignInFrame>
  )
}
