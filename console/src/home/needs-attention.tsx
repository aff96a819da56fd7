import type { Notice } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Icon } from '../design/icon.tsx'
import { Panel } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { Since } from '../design/time.tsx'
import { noticesQuery } from '../service/notices-query.ts'
import { useMay } from '../session/session.ts'
import styles from './needs-attention.module.css'
import { NoticeAct } from './notice-act.tsx'
import { isGrave, NoticeWords } from './notice-words.tsx'
import { firstOfEachKind } from './notices.ts'

/** What is broken, about to end, or waits for somebody; a quiet line where nothing does. */
export const NeedsAttention = () => (useMay('webhooks:read') ? <Section /> : null)

function Section() {
  const query = useQuery(noticesQuery)
  if (query.data?.length === 0 && !query.isError) return <p className={styles.nothing}>Nothing needs attention now.</p>
  return (
    <Panel title="Needs attention" flush>
      <Loaded query={query} lines={2}>
        {(notices) => <Notices notices={notices} />}
      </Loaded>
    </Panel>
  )
}

/** Of a pause that an earlier version made it is not known. */
function SinceWhen({ notice: { since, failing_since } }: { notice: Notice }) {
  const at = since ?? failing_since
  return (
    at && (
      <span className={styles.since}>
        {!since && 'failing '}
        <Since at={at} />
      </span>
    )
  )
}

function Notices({ notices }: { notices: readonly Notice[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? notices : firstOfEachKind(notices)
  return (
    <>
      <ul className={styles.notices}>
        {shown.map((notice) => (
          <li key={`${notice.kind} ${notice.target.id}`}>
            <span className={isGrave(notice) ? styles.bad : styles.warn}>
              <Icon name={isGrave(notice) ? 'alert' : 'clock'} size={16} />
            </span>
            <div className={styles.words}>
              <NoticeWords notice={notice} />
              <SinceWhen notice={notice} />
            </div>
            <NoticeAct notice={notice} />
          </li>
        ))}
      </ul>
      <p className={styles.more}>
        {notices.length > shown.length && (
          <Button size="small" onClick={() => setWhole(true)}>
            Show all {notices.length.toLocaleString()}
          </Button>
        )}
        {notices.some(({ has_more }) => has_more) && 'There are more of some kinds than are listed here.'}
      </p>
    </>
  )
}
