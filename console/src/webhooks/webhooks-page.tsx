import type { DeliveryCounts, Webhook } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CreateLink } from '../calls/lacking.tsx'
import { List } from '../design/list.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { countsQuery } from './webhook-queries.ts'
import { WebhookState } from './webhook-state.tsx'
import styles from './webhooks-page.module.css'

/** All webhooks, with their health at a glance. */
export function Component() {
  const page = useOffsetPage()
  const query = useQuery({
    queryKey: ['listWebhooks', page],
    queryFn: ({ signal }) => signet.listWebhooks({ query: page, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page title="Webhooks" lead="The addresses that Signet calls when something happens." actions={create}>
      <Panel flush>
        <List
          query={query}
          caption="Webhooks"
          columns={columns}
          keyOf={({ id }) => id}
          linkOf={({ id }) => `/webhooks/${id}`}
          empty={none}
        />
      </Panel>
    </Page>
  )
}

const create = (
  <CreateLink to="/webhooks/new" scope="webhooks:write">
    Create webhook
  </CreateLink>
)

const none = (
  <Empty title="There are no webhooks yet." icon="webhooks" action={create}>
    With one, your application hears of each sign-in and each person as it happens: a signed request to an address of
    yours, repeated until it is answered.
  </Empty>
)

const columns: Column<Webhook>[] = [
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
  { head: 'State', whole: true, cell: (webhook) => <WebhookState webhook={webhook} /> },
  { head: 'Since yesterday', cell: ({ id }) => <Health webhookId={id} /> },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} />, minor: true },
]

/** How its deliveries ended yesterday and today, in days of UTC. */
function Health({ webhookId }: { webhookId: string }) {
  const { data, isError } = useQuery({ ...countsQuery(webhookId, 2), enabled: useMay('deliveries:read') })
  if (isError) return <Soft>not known</Soft>
  if (!data) return <Soft>–</Soft>
  const ended = endings
    .map((ending) => ({ ...ending, count: sum(data, ending.status) }))
    .filter(({ count }) => count > 0)
  if (ended.length === 0) return <Soft>no deliveries</Soft>
  return (
    <span className={styles.health}>
      {ended.map(({ status, tone, count }) => (
        <Link key={status} to={`/deliveries?webhook_id=${webhookId}&status=${status}`} className={styles[tone]}>
          {count.toLocaleString()} {status}
        </Link>
      ))}
    </span>
  )
}

const endings = [
  { status: 'succeeded', tone: 'good' },
  { status: 'dropped', tone: 'bad' },
  { status: 'cancelled', tone: 'soft' },
] as const

const sum = (days: readonly DeliveryCounts[], status: (typeof endings)[number]['status']) =>
  days.reduce((count, day) => count + day[status], 0)
