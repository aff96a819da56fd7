import type { AuditEntry } from '@signet/management'
import { useState } from 'react'
import { Difference } from '../design/difference.tsx'
import { differencesBetween } from '../design/differences.ts'
import { Icon } from '../design/icon.tsx'
import { Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import styles from './entry.module.css'

/** One change: a line that opens to what was before and after, side by side. */
export function Entry({ entry }: { entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.entry} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="right" size={14} />
        <span className={styles.action}>{sayAction(entry.action)}</span>
        <span className={styles.target}>
          <ShortText>{entry.target.id}</ShortText>
        </span>
        <span className={styles.actor}>
          <Actor {...entry.actor} />
        </span>
        <span className={styles.time}>
          <Time at={entry.at} />
        </span>
      </summary>
      {isOpen && <EntryDetails entry={entry} />}
    </details>
  )
}

/** `createOidcCredential` as `Create OIDC credential`. */
function sayAction(action: string) {
  const words = action
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\b(api|oidc)\b/g, (name) => name.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function Actor({ type, name }: AuditEntry['actor']) {
  if (type === 'operator') return <Soft>operator</Soft>
  return (
    <>
      {name ? <ShortText>{name}</ShortText> : <Soft>unnamed key</Soft>}
      {type !== 'key' && <Soft>, by {type === 'console' ? 'the console' : 'a link'}</Soft>}
    </>
  )
}

function EntryDetails({ entry }: { entry: AuditEntry }) {
  const { before, after, actor, action, target, request_id, client_ip_address } = entry
  const differences = differencesBetween(before ?? {}, after ?? {})
  return (
    <div className={styles.details}>
      <Stack>
        {differences.length > 0 ? (
          <Difference differences={differences} />
        ) : (
          <Soft>The entry has no values: it tells that this was done.</Soft>
        )}
        <Properties
          items={[
            ['Action', <code key="action">{action}</code>],
            ['Of', `${target.type.replaceAll('_', ' ')} ${target.id}`],
            ['By', [actor.type, actor.name, actor.id].filter(Boolean).join(' ')],
            ['Address', client_ip_address ?? undefined],
            ['Request', request_id ?? undefined],
          ]}
        />
      </Stack>
    </div>
  )
}
