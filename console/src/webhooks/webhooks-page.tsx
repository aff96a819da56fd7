import type { AttemptFigures, WebhookStatistics } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { CreateLink } from '../calls/lacking.tsx'
import { Filters, SelectFilter, TextFilter, useFilters } from '../design/filters.tsx'
import { List } from '../design/list.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { latency, manyOf, percent } from './health-words.ts'
import { SortSwitch } from './sort-switch.tsx'
import { WebhookState } from './webhook-state.tsx'
import styles from './webhooks-page.module.css'

const filters = ['name', 'state'] as const
const states = ['active', 'paused', 'failing'].map((state) => [state, state] as const)

/** All webhooks, with how they did in the last 24 hours. */
export function Component() {
  const page = useOffsetPage()
  const given = useFilters([...filters, 'sort'])
  const question = { ...page, ...given }
  const query = useQuery({
    queryKey: ['listWebhookStatistics', question],
    queryFn: ({ signal }) => signet.listWebhookStatistics({ query: question as Question, signal }),
    placeholderData: keepPreviousData,
  })
  const isFiltered = given.name !== undefined || given.state !== undefined
  return (
    <Page
      title="Webhooks"
      lead="The addresses that Signet calls when something happens, and how they answered in the last 24 hours."
      actions={create}
    >
      <Panel flush>
        <Filters names={filters}>
          <TextFilter name="name" label="Name or URL contains" />
          <SelectFilter name="state" label="State" options={states} />
          <SortSwitch />
        </Filters>
        <List
          query={query}
          actions={<ExportCsv name="webhooks" path="/organizations/webhooks/statistics" query={given} />}
          caption="Webhooks"
          columns={columns}
          keyOf={({ webhook_id }) => webhook_id}
          linkOf={({ webhook_id }) => `/webhooks/${webhook_id}`}
          empty={isFiltered ? noneFits : none}
        />
      </Panel>
    </Page>
  )
}

/** What is none of its values is refused by the service, in words. */
type Question = NonNullable<Parameters<typeof signet.listWebhookStatistics>[0]>['query']

const create = (
  <CreateLink to="/webhooks/new" scope="webhooks:write">
    Create webhook
  </CreateLink>
)

const noneFits = <Empty title="No webhook fits these filters.">Clear them to see all.</Empty>

const none = (
  <Empty title="There are no webhooks yet." icon="webhooks" action={create}>
    With one, your application hears of each sign-in and each person as it happens: a signed request to an address of
    yours, repeated until it is answered.
  </Empty>
)

const columns: Column<WebhookStatistics>[] = [
  {
    head: 'Webhook',
    cell: ({ name, target_url }) => (
      <span className={styles.name}>
        <ShortText>{name}</ShortText>
        <span className={styles.target}>
          <ShortText>{target_url}</ShortText>
        </span>
      </span>
    ),
  },
  { head: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { head: 'p50', align: 'end', whole: true, cell: (row) => <Each row={row} say={({ p50_ms }) => latency(p50_ms)} /> },
  { head: 'p95', align: 'end', whole: true, cell: (row) => <Each row={row} say={({ p95_ms }) => latency(p95_ms)} /> },
  { head: 'Error rate', align: 'end', whole: true, cell: (row) => <Each row={row} say={errorRate} /> },
  { head: 'Held', align: 'end', cell: (row) => <Held row={row} /> },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} />, minor: true },
]

const errorRate = ({ attempts, error_rate }: AttemptFigures) =>
  attempts > 0 ? <span className={error_rate > 0 ? styles.bad : undefined}>{percent(error_rate)}</span> : '–'

type EachProps = { row: WebhookStatistics; say: (figures: AttemptFigures) => React.ReactNode }

/** Of its events, and of its synchronous hook, which has a receiver's rules of its own. */
function Each({ row: { event, sync_hook }, say }: EachProps) {
  if (!event && !sync_hook) return <Soft>–</Soft>
  return (
    <span className={styles.each}>
      {event && <span>{say(event)}</span>}
      {sync_hook && (
        <span>
          <Soft>hook</Soft> {say(sync_hook)}
        </span>
      )}
    </span>
  )
}

const Held = ({ row: { webhook_id, name, held } }: { row: WebhookStatistics }) =>
  held === 0 ? (
    <Soft>0</Soft>
  ) : (
    <Link to={`/deliveries?webhook_id=${webhook_id}&status=held`} aria-label={`${manyOf(held)} held of ${name}`}>
      {manyOf(held)}
    </Link>
  )
