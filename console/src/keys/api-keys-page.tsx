import type { ApiKey } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ExportCsv } from '../calls/export-csv.tsx'
import { CreateLink } from '../calls/lacking.tsx'
import { Badge } from '../design/badge.tsx'
import { Button } from '../design/button.tsx'
import { List } from '../design/list.tsx'
import { Page, Panel, Row } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useMay, useSession } from '../session/session.ts'
import styles from './api-keys-page.module.css'
import { KeysTabs } from './keys-tabs.tsx'
import { RenameKey } from './rename-key.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'
import { ScopeList } from './scope-list.tsx'

export function Component() {
  return (
    <Page
      title="Keys"
      lead="An API key speaks for this organization; its scopes say what it may do. Give each program a key of its own."
      actions={
        <CreateLink to="/keys/new" scope="api-keys:write">
          Create API key
        </CreateLink>
      }
    >
      <KeysTabs />
      <Panel flush>
        <KeyList />
      </Panel>
    </Page>
  )
}

function KeyList() {
  const page = useOffsetPage()
  const query = useQuery({
    queryKey: ['listApiKeys', page],
    queryFn: ({ signal }) => signet.listApiKeys({ query: page, signal }),
    placeholderData: keepPreviousData,
  })
  const { by } = useSession()
  const ownId = by.type === 'key' ? by.id : undefined
  const mayWrite = useMay('api-keys:write')
  const mayReadLog = useMay('audit-log:read')
  const [toRevoke, setToRevoke] = useState<ApiKey>()
  const revoke = (key: ApiKey) => (
    <Button
      size="small"
      tone="quiet"
      disabled={!mayWrite}
      aria-label={`Revoke ${key.name ?? `the key ${key.id}`}`}
      onClick={() => setToRevoke(key)}
    >
      Revoke
    </Button>
  )
  return (
    <>
      <List
        query={query}
        actions={<ExportCsv name="api-keys" path="/organizations/api-keys" />}
        caption="API keys"
        keyOf={({ id }) => id}
        empty={<Empty title="There are no API keys." icon="keys" />}
        columns={[
          {
            head: 'Name',
            cell: (key) => (
              <KeyName apiKey={key} isOwn={key.id === ownId} mayWrite={mayWrite} mayReadLog={mayReadLog} />
            ),
          },
          { head: 'Scopes', cell: (key) => <ScopeList {...key} /> },
          { head: 'Last used', cell: ({ last_used_at: at }) => (at ? <Ago at={at} /> : <Soft>never</Soft>) },
          { head: 'Expires', minor: true, cell: ({ expires_at: at }) => (at ? <Ago at={at} /> : <Soft>never</Soft>) },
          { head: 'Created', minor: true, cell: (key) => <Ago at={key.created_at} /> },
          { head: 'Revoke', align: 'end', cell: revoke },
        ]}
      />
      {toRevoke && (
        <RevokeDialog apiKey={toRevoke} isOwn={toRevoke.id === ownId} onClose={() => setToRevoke(undefined)} />
      )}
    </>
  )
}

const ChangesBy = ({ apiKey: { id, name } }: { apiKey: ApiKey }) => (
  <Link to={`/audit-log?actor=${id}`} aria-label={`Changes by ${name ?? `the key ${id}`}`}>
    Changes
  </Link>
)

type KeyNameProps = { apiKey: ApiKey; isOwn: boolean; mayWrite: boolean; mayReadLog: boolean }

function KeyName({ apiKey, isOwn, mayWrite, mayReadLog }: KeyNameProps) {
  return (
    <div className={styles.name}>
      <Row>
        {apiKey.name ? <ShortText>{apiKey.name}</ShortText> : <Soft>without a name</Soft>}
        {isOwn && <Badge tone="accent">this session</Badge>}
        {hasExpired(apiKey) && <Badge tone="warn">expired</Badge>}
      </Row>
      <Row>
        {mayWrite && <RenameKey apiKey={apiKey} />}
        {mayReadLog && <ChangesBy apiKey={apiKey} />}
      </Row>
    </div>
  )
}

const hasExpired = ({ expires_at: at }: ApiKey) => at !== undefined && Date.parse(at) < Date.now()
