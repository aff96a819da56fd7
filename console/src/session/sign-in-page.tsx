import { useEffect } from 'react'
import { Mark } from '../design/icon.tsx'
import { SignInForm } from './sign-in-form.tsx'
import styles from './sign-in-page.module.css'

/** Stands in place of every page as long as nobody is signed in. */
export function SignInPage({ onSignedIn }: { onSignedIn: () => unknown }) {
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
        <SignInForm onSignedIn={onSignedIn} />
      </div>
    </main>
  )
}
