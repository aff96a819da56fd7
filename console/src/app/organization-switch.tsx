import { useState } from 'react'
import { Dialog } from '../design/dialog.tsx'
import { Icon } from '../design/icon.tsx'
import { ShortText } from '../design/text.tsx'
import { BrowserSessions } from '../entrance/browser-sessions.tsx'
import { entrancePath } from '../service/address.ts'
import { isOperators, nameOf, useSession } from '../session/session.ts'
import styles from './shell.module.css'

/** Whose pages these are, and the way to those of another organization. */
export function OrganizationSwitch() {
  const session = useSession()
  const [isOpen, setOpen] = useState(false)
  const isOfAll = isOperators(session)
  return (
    <>
      <button type="button" className={styles.whose} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span className={styles.names}>
          <strong>{isOfAll ? 'Operator' : <ShortText>{session.name ?? ''}</ShortText>}</strong>
          <span>{session.by.type === 'operator' ? 'all organizations' : nameOf(session)}</span>
        </span>
        <span className="visually-hidden">Switch organization</span>
        <Icon name="down" size={14} />
      </button>
      <Dialog isOpen={isOpen} title="Switch organization" onClose={() => setOpen(false)}>
        <BrowserSessions title="Signed in in this browser" current={session} />
        <a href={entrancePath}>Sign in to another organization</a>
      </Dialog>
    </>
  )
}
