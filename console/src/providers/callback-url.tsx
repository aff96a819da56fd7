import { CopyButton } from '../design/copy.tsx'
import styles from './callback-url.module.css'

/** The redirect URI to register at a provider, where nobody can overlook it. */
export const CallbackUrl = ({ url }: { url: string }) => (
  <div className={styles.callback}>
    <code>
      <bdi>{url}</bdi>
    </code>
    <CopyButton text={url} of="callback URL" label="Copy" />
  </div>
)
