import { type ReactNode, useEffect, useState } from 'react'
import { Mark } from '../design/icon.tsx'
import { Notice } from '../design/state.tsx'
import { ShortText } from '../design/text.tsx'
import {
  entrancePath,
  homePathOf,
  installation,
  pageOrganization,
  referencePath,
  serviceUrl,
} from '../service/address.ts'
import type { WaysIn } from '../service/session.ts'
import { BrowserSessions } from './browser-sessions.tsx'
import { SignInForm } from './sign-in-form.tsx'
import styles from './sign-in-page.module.css'
import { takeSignedOut } from './signed-out.ts'
import { Continue, presentPage, useWaysIn } from './ways-in.tsx'

/** Where anybody signs in: the pages below it are those of one organization each, or the operator's. */
export function Entrance() {
  const [organizationId, setOrganizationId] = useState('')
  const [isPersonOut] = useState(takeSignedOut)
  return (
    <SignInFrame>
      {isPersonOut && (
        <Notice title="You are signed out of the console.">
          Your session with the provider goes on. On a computer that others use, sign out there too.
        </Notice>
      )}
      <SignInForm onOrganization={setOrganizationId} />
      <WithoutKey organizationId={organizationId} />
      <BrowserSessions title="Signed in in this browser" />
      <WhereFrom />
    </SignInFrame>
  )
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** To the page of the organization that is typed, where its people have another way in. */
function WithoutKey({ organizationId }: { organizationId: string }) {
  const ways = useWaysIn(uuid.test(organizationId) ? organizationId.toLowerCase() : undefined)
  if (!ways?.people) return null
  return <a href={homePathOf(organizationId)}>Continue without a key</a>
}

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

/** Whose installation it is, and whose organization. */
export function SignInFrame({ ways, children }: { ways?: WaysIn | null; children: ReactNode }) {
  useEffect(() => {
    document.title = 'Signet'
  }, [])
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <Mark size={40} />
          <div className={styles.whose}>
            <h1>Signet</h1>
            <p>{installation}</p>
          </div>
        </div>
        {ways?.organization && <Organization of={ways.organization} />}
        {children}
      </div>
    </main>
  )
}

const Organization = ({ of: { name, display_name, logo_url } }: { of: NonNullable<WaysIn['organization']> }) => (
  <div className={styles.organization}>
    {logo_url && <img src={new URL(new URL(logo_url).pathname, serviceUrl).href} alt="" />}
    <h2>
      <ShortText>{display_name ?? name}</ShortText>
    </h2>
  </div>
)

/** In the words of whoever has neither. */
const WhereFrom = () => (
  <div className={styles.help}>
    <p>
      Signet prints the ID of an organization and its first key when it starts for the first time, and keeps that key in{' '}
      <code>first-api-key</code> in its data folder. Administrators make more keys under Keys, and invite people, who
      then need none.
    </p>
    <a href={referencePath}>Reference of the interface</a>
  </div>
)
