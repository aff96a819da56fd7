import { type ReactNode, useEffect } from 'react'
import { Mark } from '../design/icon.tsx'
import { entrancePath, pageOrganization } from '../service/address.ts'
import { BrowserSessions } from './browser-sessions.tsx'
import { SignInForm } from './sign-in-form.tsx'
import styles from './sign-in-page.module.css'

/** Where anybody signs in: the pages below it are those of one organization each, or the operator's. */
export const Entrance = () => (
  <SignInPage>
    <SignInForm />
    <BrowserSessions title="Signed in in this browser" />
  </SignInPage>
)

/** Stands in place of every page of an organization or of the operator as long as nobody is signed in to it. */
export const PageSignIn = ({ onSignedIn }: { onSignedIn: () => unknown }) => (
  <SignInPage>
    <SignInForm onSignedIn={onSignedIn} of={pageOrganization ?? 'operator'} />
    <a href={entrancePath}>To another organization</a>
  </SignInPage>
)

function SignInPage({ children }: { children: ReactNode }) {
  useEffect(() => {
    document.title = 'Signet'
  }, [])
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <Mark size={40} />
          <h1>Signet</h1>
        </div>
        {children}
      </div>
    </main>
  )
}
