import { useMutation, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { EquivalentCurl } from '../calls/curl.tsx'
import { Lacking } from '../calls/lacking.tsx'
import { Button, ButtonLink } from '../design/button.tsx'
import { Panel, Stack } from '../design/page.tsx'
import { Empty, Failure, Loaded } from '../design/state.tsx'
import { type Call, signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { DryRunResult } from './dry-run-result.tsx'
import { tokenMinted } from './trigger-kinds.ts'
import { useWebhook } from './webhook-page.tsx'
import { triggersQuery } from './webhook-queries.ts'

/** Calls the synchronous hook as a sign-in would. */
export function Component() {
  const { id } = useWebhook()
  const query = useQuery(triggersQuery(id))
  return (
    <Loaded query={query}>
      {(triggers) =>
        triggers.some(({ trigger_name }) => trigger_name === tokenMinted) ? (
          <Run webhookId={id} />
        ) : (
          <NoHook webhookId={id} />
        )
      }
    </Loaded>
  )
}

const NoHook = ({ webhookId }: { webhookId: string }) => (
  <Panel>
    <Empty
      title="The webhook has no synchronous hook."
      icon="sign-in"
      action={<ButtonLink to={`/webhooks/${webhookId}/triggers`}>Triggers</ButtonLink>}
    >
      A dry run calls a webhook with the trigger token_minted as a sign-in would, and shows what the token would get.
    </Empty>
  </Panel>
)

function Run({ webhookId }: { webhookId: string }) {
  const mayWrite = useMay('webhooks:write')
  const call = useCallback(
    (client: typeof signet) => client.dryRunWebhook({ path: { webhook_id: webhookId } }),
    [webhookId],
  )
  const run = useMutation({ mutationFn: () => call(signet) })
  return (
    <Stack>
      <Panel
        title="Dry run"
        description="Calls the receiver in up to three attempts, with a made-up person and is_test: true. Nobody signs in, and the delivery log does not show it."
        actions={
          <Button tone="primary" icon="play" busy={run.isPending} disabled={!mayWrite} onClick={() => run.mutate()}>
            Run
          </Button>
        }
      >
        <Lacking scope="webhooks:write" />
        <EquivalentCurl call={call satisfies Call} />
      </Panel>
      {run.isError && <Failure error={run.error} />}
      {run.data && <DryRunResult run={run.data.result} />}
    </Stack>
  )
}
