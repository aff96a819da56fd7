import type { OpenedCredentialLink } from '@signet/management'
import { useEffect, useRef } from 'react'
import { Icon } from '../design/icon.tsx'
import { ShortText } from '../design/text.tsx'
import { providers } from '../providers/providers.ts'
import styles from './link-frame.module.css'
import { LinkFrame } from './link-frame.tsx'

/** One page for a link that is unknown, was used, has expired or was deleted: they are not told apart. */
export const ClosedLink = () => (
  <LinkFrame title="This link does not work">
    <div className={styles.end}>
      <span className={styles.sign}>
        <Icon name="link" size={22} />
      </span>
      <p>It was used already, it has expired, or a part of it is missing. Make sure that you opened all of it.</p>
      <p>Otherwise ask whoever sent it for another one. A link works once.</p>
    </div>
  </LinkFrame>
)

export function SentCredential({ link }: { link: OpenedCredentialLink }) {
  const words = useRef<HTMLDivElement>(null)
  useEffect(() => words.current?.focus(), [])
  return (
    <LinkFrame title="The credential is sent">
      <div ref={words} tabIndex={-1} role="status" className={styles.end}>
        <span className={`${styles.sign} ${styles.good}`}>
          <Icon name="check" size={22} />
        </span>
        <p>
          An administrator of <ShortText>{link.organization_name}</ShortText> now confirms it. From then on your people
          sign in with {providers[link.provider].name}.
        </p>
        <p>This link is used up. You can close the page, and need not keep the client secret.</p>
      </div>
    </LinkFrame>
  )
}
