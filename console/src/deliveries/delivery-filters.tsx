import { type Filters as DeliveryFilters, statuses } from '../attempts/delivery-words.ts'
import { Filters, SelectFilter, TextFilter, useFilters } from '../design/filters.tsx'
import { errors } from '../outcomes/outcome-words.ts'
import { eventNames, tokenMinted } from '../webhooks/trigger-kinds.ts'

const names = [
  'status',
  'event_name',
  'trigger_type',
  'webhook_id',
  'status_code',
  'error',
  'since',
  'until',
  'finished_since',
  'finished_until',
  'event_id',
] as const
const kinds = [
  ['event', 'Events'],
  ['sync_hook', 'Runs of hooks'],
] as const

/** As the address has them. What is none of its values is refused by the service, in words. */
export function useDeliveryFilters(): DeliveryFilters {
  const { status_code, ...given } = useFilters(names)
  return { ...given, ...(status_code && { status_code: Number(status_code) }) } as DeliveryFilters
}

type DeliveryFiltersProps = { webhooks: ReadonlyMap<string, string> }

export function DeliveryFilterRow({ webhooks }: DeliveryFiltersProps) {
  const { webhook_id } = useDeliveryFilters()
  const isGone = webhook_id !== undefined && !webhooks.has(webhook_id)
  return (
    <Filters names={names}>
      <SelectFilter name="status" label="Status" options={statuses} />
      <SelectFilter
        name="event_name"
        label="Event"
        options={[...eventNames, tokenMinted].map((name) => [name, name])}
      />
      <SelectFilter name="trigger_type" label="Kind" options={kinds} />
      <SelectFilter
        name="webhook_id"
        label="Webhook"
        options={[...webhooks, ...(isGone ? [[webhook_id, webhook_id] as const] : [])]}
      />
      <TextFilter name="status_code" label="Last status" placeholder="503" />
      <SelectFilter name="error" label="Last error" options={errors} />
      <TextFilter name="since" label="Created from" type="datetime-local" />
      <TextFilter name="until" label="Created until" type="datetime-local" />
      <TextFilter name="finished_since" label="Ended from" type="datetime-local" />
      <TextFilter name="finished_until" label="Ended until" type="datetime-local" />
      <TextFilter name="event_id" label="Event ID" width="wide" />
    </Filters>
  )
}
