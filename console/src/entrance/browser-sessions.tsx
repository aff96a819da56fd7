import { useQuery } from '@tanstack/react-query'
import { Icon } from '../design/icon.tsx'
import { ShortText } from '../design/text.tsx'
import { homePathOf } from '../service/address.ts'
import { listSessions, type Session } from '../service/session.ts'
import { nameOf } from '../session/session.ts'
import styles from './browser-sessions.module.css'

/** The organizations that this browser is signed in to. A link loads the console anew: a page has one organization as long as it lives. */
export function BrowserSessions({ title, current }: { title: string; current?: Session }) {
  const { data: sessions = [] } = useQuery({ queryKey: ['listSessions'], queryFn: listSessions })
  const others = sessions.filter(({ organization_id }) => !current || organization_id !== current.organization_id)
  if (others.length === 0) return null
  return (
    <nav aria-label={title} className={styles.sessions}>
      <h2 className={styles.title}>{title}</h2>
      <ul>
        {others.map((session) => (
          <li key={session.id}>
            <a href={homePathOf(session.organization_id)} className={styles.session}>
              <Icon name="organizations" />
              <span>
                <ShortText>{session.name ?? 'All organizations'}</ShortText>
                {session.by.type !== 'operator' && <small>{nameOf(session)}</small>}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
