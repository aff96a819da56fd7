import { entrancePath, pageOrganization } from '../service/address.ts'
import { SignInForm } from './sign-in-form.tsx'
import { SignInFrame, WhereFrom } from './sign-in-frame.tsx'
import styles from './sign-in-page.module.css'
import { Continue, presentPage, useWaysIn } from './ways-in.tsx'

/** Stands in place of every page of an organization or of the operator as long as nobody is signed in to it. */
export function PageSignIn({ onSignedIn }: { onSignedIn: () => unknown }) {
  const of = pageOrganization ?? 'operator'
  const ways = useWaysIn(of)
  // The form of the HTML stands there until then.
  if (ways === undefined) return null
  const people = ways?.people
  return (
    <SignInFrame ways={ways}>
      {people && <Continue people={people} returnTo={presentPage()} />}
      {ways?.hasKeySignIn === false ? (
        !people && <p>{pageOrganization ? closedToAll : noOperator}</p>
      ) : (
        <>
          {people && <p className={styles.or}>or with a key</p>}
          <SignInForm onSignedIn={onSignedIn} of={of} />
        </>
      )}
      <a href={entrancePath}>To another organization</a>
      <WhereFrom />
    </SignInFrame>
  )
}

const closedToAll = 'Keys do not open this console, and no provider does. Ask the operator of Signet.'
const noOperator =
  'This Signet has no operator key, and no provider by which its operators sign in. Whoever runs it can set either.'
