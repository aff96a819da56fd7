import type { LogoutDelivery } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { resultOf } from '../attempts/delivery-words.ts'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Outcome } from '../outcomes/outcome.tsx'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { logoutPath } from './paths.ts'

const shown = 20

/** The newest logout tokens of an application, for a key that may see deliveries. */
export function ApplicationLogouts({ clientId }: { clientId: string }) {
  const mayRead = useMay('deliveries:read')
  const query = useQuery({
    queryKey: ['listLogouts', clientId],
    queryFn: async ({ signal }) =>
      (await signet.listLogouts({ path: { client_id: clientId }, query: { limit: shown }, signal })).result,
    enabled: mayRead,
  })
  if (!mayRead) return null
  return (
    <Panel
      title="Logout tokens"
      description="What the application was told of sessions that ended: the newest ones."
      actions={
        <ExportCsv name="logouts" path={`/organizations/applications/${encodeURIComponent(clientId)}/deliveries`} />
      }
      flush
    >
      <Loaded query={query}>
        {(logouts) => (
          <Table
            caption="Logout tokens"
            columns={columns}
            items={logouts}
            keyOf={({ id }) => id}
            linkOf={({ id }) => logoutPath(clientId, id)}
            empty={<Empty title="None was sent yet." icon="check" />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const columns: Column<LogoutDelivery>[] = [
  { head: 'Ended', cell: ({ sub, sid }) => <ShortText>{sid ? `session ${sid}` : `all of ${sub}`}</ShortText> },
  { head: 'Status', whole: true, cell: ({ status }) => <Outcome of={status} /> },
  { head: 'Last result', cell: resultOf },
  { head: 'Attempts', align: 'end', cell: ({ attempts_count }) => attempts_count },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
]
