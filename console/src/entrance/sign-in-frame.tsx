import { type ReactNode, useEffect } from 'react'
import { helpPath } from '../design/help.tsx'
import { Mark } from '../design/icon.tsx'
import { ShortText } from '../design/text.tsx'
import { installation, referencePath, serviceUrl } from '../service/address.ts'
import type { WaysIn } from '../service/session.ts'
import styles from './sign-in-page.module.css'

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
export const WhereFrom = () => (
  <div className={styles.help}>
    <p>
      Signet prints the ID of an organization and its first key when it starts for the first time, and keeps that key in{' '}
      <code>first-api-key</code> in its data folder. Administrators make more keys under Keys, and invite people, who
      then need none.
    </p>
    <a href={helpPath}>Help</a>
    <a href={referencePath}>Reference of the interface</a>
  </div>
)
