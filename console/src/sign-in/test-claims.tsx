import type { TestSignIn } from '@signet/management'
import { Badge } from '../design/badge.tsx'
import { Copyable } from '../design/copy.tsx'
import { Properties } from '../design/properties.tsx'
import { Soft, Text } from '../design/text.tsx'
import styles from './test-steps.module.css'

const said = (text: string | undefined) => (text ? <Text key="said">{text}</Text> : <Soft key="none">none</Soft>)

/** How the provider identified the person. */
export function TestClaims({ claims }: { claims: NonNullable<TestSignIn['claims']> }) {
  const { issuer, subject, email, email_verified, name, preferred_username, picture, locale } = claims
  return (
    <section className={styles.claims} aria-label="Claims">
      <h3>What the provider said of the person</h3>
      <Properties
        items={[
          ['Issuer', <Copyable key="issuer" text={issuer} of="issuer" />],
          ['Subject', <Copyable key="subject" text={subject} of="subject" />],
          ['Name', said(name)],
          ['User name', said(preferred_username)],
          ['Picture', said(picture)],
          ['Locale', said(locale)],
          [
            'E-mail address',
            email ? (
              <span key="email" className={styles.email}>
                <Text>{email}</Text>
                {email_verified ? <Badge tone="good">verified</Badge> : <Badge>not verified</Badge>}
              </span>
            ) : (
              <Soft key="email">none</Soft>
            ),
          ],
        ]}
      />
      <p>
        <Soft>Shown this once, to the key that made the test.</Soft>
      </p>
    </section>
  )
}
