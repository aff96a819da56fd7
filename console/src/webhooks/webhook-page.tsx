import type { Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { ChangesLink } from '../calls/changes-link.tsx'
import { Page } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { Tabs } from '../design/tabs.tsx'
import { ShortText } from '../design/text.tsx'
import { Outlet, useOutletContext, useParams } from '../router/index.ts'
import { TestEvents } from './test-events.tsx'
import { webhookQuery } from './webhook-queries.ts'

const parts = [
  ['', 'Overview'],
  ['/triggers', 'Triggers'],
  ['/settings', 'Settings'],
  ['/receiver-code', 'Receiver code'],
  ['/dry-run', 'Dry run'],
] as const

export function Component() {
  const { webhookId = '' } = useParams()
  return <WebhookPage key={webhookId} webhookId={webhookId} />
}

/** What stands above all parts of one webhook. */
function WebhookPage({ webhookId }: { webhookId: string }) {
  const query = useQuery(webhookQuery(webhookId))
  const webhook = query.data
  return (
    <Page
      title={webhook?.name ?? 'Webhook'}
      heading={webhook && <ShortText>{webhook.name}</ShortText>}
      parent={{ to: '/webhooks', name: 'Webhooks' }}
      actions={
        webhook && (
          <>
            <ChangesLink target={webhook.id} />
            <TestEvents webhook={webhook} />
          </>
        )
      }
    >
      <Tabs label="Webhook" tabs={parts.map(([path, name]) => ({ to: `/webhooks/${webhookId}${path}`, name }))} />
      <Loaded query={query}>{(shown) => <Outlet context={shown} />}</Loaded>
    </Page>
  )
}

/** The webhook of the page, for its parts. */
export const useWebhook = () => useOutletContext<Webhook>()
