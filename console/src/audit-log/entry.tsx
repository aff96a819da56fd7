import type { AuditEntry } from '@signet/management'
import { type ReactNode, useState } from 'react'
import { Copyable } from '../design/copy.tsx'
import { Difference } from '../design/difference.tsx'
import { differencesBetween } from '../design/differences.ts'
import { Icon } from '../design/icon.tsx'
import { Row, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { Link } from '../router/index.ts'
import { sayAction } from './actions.ts'
import { Actor } from './actor.tsx'
import styles from './entry.module.css'
import { pageOf } from './pages-of-things.ts'

/** One change: a line that opens to what was before and after, side by side. */
export function Entry({ entry }: { entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.entry} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary data-row>
        <Icon name="right" size={14} />
        <span className={styles.action}>{sayAction(entry.action)}</span>
        <span className={styles.target}>
          <TargetName {...entry.target} />
        </span>
        <span className={styles.actor}>
          <Actor actor={entry.actor} from={entry.client_ip_address} />
        </span>
        <span className={styles.time}>
          <Time at={entry.at} />
        </span>
      </summary>
      {isOpen && <EntryDetails entry={entry} />}
    </details>
  )
}

const kindOf = (type: string) => type.replaceAll('_', ' ').replace(/^(?:api|oidc)\b/, (name) => name.toUpperCase())

/** Its kind alone where it has no name: nobody knows an id by heart. */
const TargetName = ({ type, name }: AuditEntry['target']) => (
  <>
    {kindOf(type)}{' '}
    {name && (
      <span className={styles.name}>
        <ShortText>{name}</ShortText>
      </span>
    )}
  </>
)

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
            ['Changed', <Target key="target" target={target} />],
            ['By', <By key="actor" actor={actor} />],
            ['Address', client_ip_address ? <Copyable key="ip" text={client_ip_address} of="address" /> : undefined],
            ['Request', request_id ? <Copyable key="request" text={request_id} of="request ID" /> : undefined],
          ]}
        />
      </Stack>
    </div>
  )
}

const Target = ({ target }: { target: AuditEntry['target'] }) => (
  <Stack>
    <Row>
      <span>
        {kindOf(target.type)} {target.name && <Linked to={pageOf(target)}>{target.name}</Linked>}
      </span>
      <Link to={`?target=${encodeURIComponent(target.id)}`}>All its changes</Link>
    </Row>
    {target.id !== target.name && <Copyable text={target.id} of={`ID of the ${kindOf(target.type)}`} />}
  </Stack>
)

function By({ actor }: { actor: AuditEntry['actor'] }) {
  if (actor.id === null) return <Link to={`?actor=${actor.type}`}>The operator</Link>
  return (
    <Stack>
      <Row>
        <Linked to={pageOf(actor)}>{actor.name ?? `unnamed ${actor.type === 'console' ? 'key' : actor.type}`}</Linked>
        <Link to={`?actor=${actor.id}`}>All that it changed</Link>
      </Row>
      <Copyable text={actor.id} of={`ID of the ${actor.type === 'console' ? 'key' : actor.type}`} />
    </Stack>
  )
}

const Linked = ({ to, children }: { to: string | undefined; children: string }): ReactNode =>
  to ? (
    <Link to={to}>
      <ShortText>{children}</ShortText>
    </Link>
  ) : (
    <ShortText>{children}</ShortText>
  )
