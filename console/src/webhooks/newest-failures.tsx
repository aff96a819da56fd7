import type { Delivery, Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { resultOf } from '../attempts/delivery-words.ts'
import { ButtonLink } from '../design/button.tsx'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Ago } from '../design/time.tsx'
import { Outcome } from '../outcomes/outcome.tsx'
import { signet } from '../service/signet.ts'
import { healthQuery } from './health-query.ts'

const shown = 5
/** Of those that wait, so many are looked at for failed attempts. */
const lookedAt = 100

type NewestFailuresProps = {
  webhook: Pick<Webhook, 'id' | 'enabled'>
  /** It has no deliveries, but runs of its synchronous hook. */
  isHookOnly: boolean
}

/** Deliveries that failed for good, and those that failed and wait, for their next attempt or for the webhook: the newest of all. */
export function NewestFailures({ webhook: { id, enabled }, isHookOnly }: NewestFailuresProps) {
  const query = useQuery({
    queryKey: ['searchDeliveries', 'failures', id, enabled],
    queryFn: async ({ signal }) => {
      const search = (status: Delivery['status'], limit: number) =>
        signet.searchDeliveries({ query: { webhook_id: id, status, limit }, signal })
      const waiting = search(enabled ? 'pending' : 'held', lookedAt)
      const [dropped, { result }] = await Promise.all([search('dropped', shown), waiting])
      const failed = result.filter(({ attempts_count }) => attempts_count > 0)
      return [...dropped.result, ...failed].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, shown)
    },
  })
  return (
    <Panel
      title={isHookOnly ? 'Newest failed runs' : 'Newest failures'}
      flush
      actions={
        <ButtonLink to={`/deliveries?webhook_id=${id}&status=dropped`} size="small">
          All that failed
        </ButtonLink>
      }
    >
      <Loaded query={query}>
        {(deliveries) => (
          <Table
            caption="Newest failures"
            columns={columnsFor(isHookOnly)}
            items={deliveries}
            keyOf={(delivery) => delivery.id}
            linkOf={(delivery) => `/deliveries/${delivery.webhook_id}/${delivery.id}`}
            empty={isHookOnly ? <NoFailedRun webhookId={id} /> : <None webhook={{ id, enabled }} />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

/** That nothing has failed is said only where it is so: not of what is paused, nor where attempts failed of what is not listed here. */
function None({ webhook: { id, enabled } }: { webhook: Pick<Webhook, 'id' | 'enabled'> }) {
  const { data: health } = useQuery(healthQuery(id))
  if (!enabled)
    return (
      <Empty title="Nothing is sent while the webhook is paused." icon="pause">
        No delivery that waits has a failed attempt among the newest {lookedAt}.
      </Empty>
    )
  if (!health) return <Empty title="No failed delivery is kept." />
  const failed = (health.event?.failed ?? 0) + (health.sync_hook?.failed ?? 0)
  return failed > 0 ? (
    <Empty title="No delivery has failed for good.">
      Attempts have failed in the last 24 hours; their deliveries succeeded later, or still wait.
    </Empty>
  ) : (
    <Empty title="Nothing has failed." icon="check" />
  )
}

/** The same of one that is called as a hook alone, whose runs are over with their sign-ins. */
function NoFailedRun({ webhookId }: { webhookId: string }) {
  const { data: health } = useQuery(healthQuery(webhookId))
  if (!health?.sync_hook?.failed) return <Empty title="No run has failed." icon="check" />
  return (
    <Empty title="No run has failed.">
      Attempts have failed in the last 24 hours; a later attempt of the same run succeeded.
    </Empty>
  )
}

const columnsFor = (isHookOnly: boolean): Column<Delivery>[] => [
  { head: isHookOnly ? 'Hook' : 'Event', whole: true, cell: ({ trigger_name }) => trigger_name },
  { head: 'Status', whole: true, cell: ({ status }) => <Outcome of={status} /> },
  { head: 'Last result', cell: resultOf },
  { head: 'Attempts', align: 'end', cell: ({ attempts_count }) => attempts_count },
  { head: isHookOnly ? 'Called' : 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
]
