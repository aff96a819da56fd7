import type { DeliveryCounts, Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ButtonLink } from '../design/button.tsx'
import { Chart } from '../design/chart.tsx'
import { Copyable } from '../design/copy.tsx'
import { Columns, Panel, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded, Notice } from '../design/state.tsx'
import { Text } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { chartOfDays } from './chart-of-days.ts'
import { HealthPanel } from './health-panel.tsx'
import { HookNotice } from './hook-notice.tsx'
import { NewestFailures } from './newest-failures.tsx'
import { StatusNotice } from './status-notice.tsx'
import { timeoutInWords } from './timeout-words.ts'
import { tokenMinted } from './trigger-kinds.ts'
import { useWebhook } from './webhook-page.tsx'
import { countsQuery, triggersQuery } from './webhook-queries.ts'
import { WebhookState } from './webhook-state.tsx'

const shownDays = 30

/** How it does, and what it is. */
export function Component() {
  const webhook = useWebhook()
  const { data: triggers } = useQuery(triggersQuery(webhook.id))
  const isHookOnly = triggers?.length === 1 && triggers[0]?.trigger_name === tokenMinted
  return (
    <Stack>
      <StatusNotice webhook={webhook} />
      <HookNotice webhook={webhook} />
      {triggers?.length === 0 && <NoTriggers webhookId={webhook.id} />}
      <HealthPanel webhookId={webhook.id} />
      <Columns>
        {!isHookOnly && <ByDay webhookId={webhook.id} />}
        <Panel title="Details">
          <Details webhook={webhook} triggers={triggers?.map(({ trigger_name }) => trigger_name)} />
        </Panel>
      </Columns>
      <NewestFailures webhook={webhook} isHookOnly={isHookOnly} />
    </Stack>
  )
}

const NoTriggers = ({ webhookId }: { webhookId: string }) => (
  <Notice
    title="The webhook has no triggers, so that it is never called."
    action={
      <ButtonLink to={`/webhooks/${webhookId}/triggers`} size="small">
        Choose triggers
      </ButtonLink>
    }
  />
)

type DetailsProps = { webhook: Webhook; triggers: readonly string[] | undefined }

function Details({ webhook, triggers }: DetailsProps) {
  const { custom_headers: headers } = webhook
  return (
    <Properties
      items={[
        ['State', <WebhookState key="state" webhook={webhook} />],
        ['Target URL', <Copyable key="target" text={webhook.target_url} of="target URL" />],
        ['Webhook ID', <Copyable key="id" text={webhook.id} of="webhook ID" />],
        ['Description', webhook.description !== '' && <Text key="description">{webhook.description}</Text>],
        ['Triggers', triggers && (triggers.join(', ') || 'none')],
        ['Timeout', timeoutInWords(webhook.timeout, triggers)],
        ['Custom headers', headers ? Object.keys(headers).join(', ') || 'none' : 'shown to admin keys only'],
        ['Created', <Time key="created" at={webhook.created_at} />],
      ]}
    />
  )
}

function ByDay({ webhookId }: { webhookId: string }) {
  const query = useQuery(countsQuery(webhookId, shownDays))
  return (
    <Panel
      title="Deliveries by day"
      description={<Total counts={query.data} />}
      actions={
        <ButtonLink to={`/deliveries?webhook_id=${webhookId}`} size="small">
          All deliveries
        </ButtonLink>
      }
    >
      <Loaded query={query}>{(counts) => <DaysChart counts={counts} webhookId={webhookId} />}</Loaded>
    </Panel>
  )
}

/** Drawn anew only where the counts are others. */
function DaysChart({ counts, webhookId }: { counts: DeliveryCounts[]; webhookId: string }) {
  const data = useMemo(() => chartOfDays(counts, shownDays, Date.now(), webhookId), [counts, webhookId])
  return <Chart title={`How they ended, ${shownDays} days in UTC`} {...data} />
}

/** The share that succeeded, of those that ended by an answer or the lack of one. */
function Total({ counts = [] }: { counts: DeliveryCounts[] | undefined }) {
  const succeeded = counts.reduce((sum, day) => sum + day.succeeded, 0)
  const ended = succeeded + counts.reduce((sum, day) => sum + day.dropped, 0)
  if (ended === 0) return 'None has ended yet.'
  const share = Math.floor((1_000 * succeeded) / ended) / 10
  return `${succeeded.toLocaleString()} of ${ended.toLocaleString()} succeeded (${share} %). One that was resent counts each time; runs of the synchronous hook do not.`
}
