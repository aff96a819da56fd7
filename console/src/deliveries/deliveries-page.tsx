import type { Delivery } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { canRedeliver, type Filters, resultOf } from '../attempts/delivery-words.ts'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Button } from '../design/button.tsx'
import { Page, Panel } from '../design/page.tsx'
import { CursorPages, useCursor, usePageSize } from '../design/pages.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, type Selection, Table } from '../design/table.tsx'
import { ShortText } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Outcome } from '../outcomes/outcome.tsx'
import { lacks, useMay } from '../session/session.ts'
import { useWebhookNames } from '../webhooks/webhook-queries.ts'
import styles from './deliveries-page.module.css'
import { DeliveryFilterRow, useDeliveryFilters } from './delivery-filters.tsx'
import { RedeliverChosen } from './redeliver-chosen.tsx'
import { RedeliverSpan } from './redeliver-span.tsx'
import { type SearchPage, searchPage } from './search-page.ts'

/** Deliveries of all webhooks, the newest event first. */
export function Component() {
  const filters = useDeliveryFilters()
  const place = { size: usePageSize(), after: useCursor() }
  const names = useWebhookNames()
  const mayWrite = useMay('deliveries:write')
  const query = useQuery({
    queryKey: ['searchDeliveries', filters, place],
    queryFn: ({ signal }) => searchPage(filters, place, signal),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title="Deliveries"
      lead="One event, or one run of a synchronous hook, for one webhook, with its attempts."
      actions={
        <>
          <Button icon="refresh" busy={query.isFetching} onClick={() => query.refetch()}>
            Refresh
          </Button>
          <RedeliverSpan filters={filters} names={names} disabled={!mayWrite || names.size === 0} />
        </>
      }
    >
      <Panel flush>
        <DeliveryFilterRow webhooks={names} />
        <Loaded query={query}>
          {(page) => <List page={page} names={names} mayWrite={mayWrite} filters={filters} />}
        </Loaded>
      </Panel>
      {!mayWrite && <p className={styles.hint}>{lacks('deliveries:write')}</p>}
    </Page>
  )
}

const hasAny = (filters: object) => Object.keys(filters).length > 0

type ListProps = { page: SearchPage; names: ReadonlyMap<string, string>; mayWrite: boolean; filters: Filters }

const keyOf = ({ webhook_id, id }: Delivery) => `${webhook_id} ${id}`

function List({ page: { deliveries, next }, names, mayWrite, filters }: ListProps) {
  const { chosen, selection, clear } = useChosen()
  return (
    <>
      {chosen.length > 0 && (
        <div className={styles.chosen}>
          <span role="status">{chosen.length.toLocaleString()} chosen</span>
          <RedeliverChosen chosen={chosen} onDone={clear} />
          <Button size="small" tone="quiet" onClick={clear}>
            Choose none
          </Button>
        </div>
      )}
      <Table
        caption="Deliveries"
        items={deliveries}
        keyOf={keyOf}
        columns={columnsFor(names)}
        linkOf={({ webhook_id, id }) => `/deliveries/${webhook_id}/${id}`}
        {...(mayWrite && { selection })}
        empty={<None isFiltered={hasAny(filters)} isMore={next !== undefined} />}
      />
      <CursorPages
        next={next}
        isEmpty={deliveries.length === 0}
        actions={<ExportCsv name="deliveries" path="/organizations/deliveries" query={filters} />}
      />
    </>
  )
}

/** What was chosen stays so on other pages of the list. */
function useChosen() {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Delivery>>(new Map())
  const onChange = (items: readonly Delivery[], isChosen: boolean) => {
    const changed = new Map(chosen)
    for (const item of items) isChosen ? changed.set(keyOf(item), item) : changed.delete(keyOf(item))
    setChosen(changed)
  }
  const selection: Selection<Delivery> = {
    chosen: new Set(chosen.keys()),
    onChange,
    canChoose: canRedeliver,
    nameOf: ({ trigger_name, id }) => `the delivery of ${trigger_name} ${id}`,
  }
  return { chosen: [...chosen.values()], selection, clear: () => setChosen(new Map()) }
}

function None({ isFiltered, isMore }: { isFiltered: boolean; isMore: boolean }) {
  if (isMore)
    return (
      <Empty title="None so far.">Many deliveries were looked at, and none of them matches. Go on with Older.</Empty>
    )
  if (isFiltered)
    return <Empty title="No delivery fits these filters.">Deliveries are kept for as long as events are.</Empty>
  return (
    <Empty title="Nothing was delivered yet." icon="deliveries">
      A delivery is made when something happens for which a webhook has a trigger. On the page of a webhook you can send
      test events.
    </Empty>
  )
}

const columnsFor = (names: ReadonlyMap<string, string>): Column<Delivery>[] => [
  { head: 'Status', whole: true, cell: ({ status }) => <Outcome of={status} /> },
  {
    head: 'Event and webhook',
    whole: true,
    cell: ({ trigger_name, webhook_id }) => (
      <span className={styles.event}>
        {trigger_name}
        <WebhookName name={names.get(webhook_id)} id={webhook_id} />
      </span>
    ),
  },
  { head: 'Last result', whole: true, cell: resultOf },
  { head: 'Attempts', align: 'end', cell: ({ attempts_count }) => attempts_count },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
  { head: 'Next attempt', cell: ({ next_attempt_at }) => next_attempt_at && <Ago at={next_attempt_at} />, minor: true },
]

/** One that was deleted, or that the key may not read, has no name here. */
const WebhookName = ({ name, id }: { name: string | undefined; id: string }) => (
  <span className={styles.webhook}>{name === undefined ? id : <ShortText>{name}</ShortText>}</span>
)
