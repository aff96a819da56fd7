import { useEffect, useState } from 'react'
import { Dialog } from '../design/dialog.tsx'
import { queries } from '../service/queries.ts'
import { onSessionEnded, readSession, type Session } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'

/** When the session ends, this asks to sign in above the page: what was typed there stays. */
export function SessionOver({ session }: { session: Session }) {
  const [isOver, setOver] = useState(false)
  useEffect(() => onSessionEnded(() => setOver(true)), [])
  async function goOn() {
    const next = await readSession()
    const isSame = next?.organization_id === session.organization_id && next?.operator === session.operator
    // Of another organization nothing of this page is true.
    if (!isSame) return location.assign(document.baseURI)
    setOver(false)
    queries.setQueryData(['session'], next)
  }
  return (
    <Dialog isOpen={isOver} isModal title="Your session is over" onClose={() => undefined}>
      <p>Sign in again to go on where you were. What you typed is still here.</p>
      <SignInForm onSignedIn={goOn} again={{ organizationId: session.organization_id, operator: session.operator }} />
    </Dialog>
  )
}
