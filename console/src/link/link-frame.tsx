import type { ReactNode } from 'react'
import { Mark } from '../design/icon.tsx'
import styles from './link-frame.module.css'

type LinkFrameProps = { title: string; heading?: ReactNode; lead?: ReactNode; children: ReactNode }

/** What stands around the page of a link: nothing of the console. */
export const LinkFrame = ({ title, heading, lead, children }: LinkFrameProps) => (
  <div className={styles.page}>
    <header className={styles.brand}>
      <Mark size={24} />
      <span>Signet</span>
    </header>
    <main className={styles.main}>
      <div>
        <h1 className={styles.title}>{heading ?? title}</h1>
        {lead && <p className={styles.lead}>{lead}</p>}
      </div>
      {children}
    </main>
  </div>
)
