import type { LogoutDeliveryWithAttempts } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { AttemptList } from '../attempts/attempt-list.tsx'
import { AskingButton } from '../calls/asking-button.tsx'
import { Copyable } from '../design/copy.tsx'
import { Columns, Page, Panel } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded } from '../design/state.tsx'
import { Ago, Time } from '../design/time.tsx'
import { Outcome, Why } from '../outcomes/outcome.tsx'
import { sayReason } from '../outcomes/outcome-words.ts'
import { Link, useParams } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useRefusal } from '../session/session.ts'
import { applicationPath } from './paths.ts'

const watchMs = 2_000

/** What became of one logout token, attempt by attempt. */
export function Component() {
  const { clientId = '', deliveryId = '' } = useParams()
  const query = useQuery({
    queryKey: ['getLogout', clientId, deliveryId],
    queryFn: async ({ signal }) =>
      (await signet.getLogout({ path: { client_id: clientId, delivery_id: deliveryId }, signal })).result,
    refetchInterval: ({ state }) => (state.data && !state.data.finished_at ? watchMs : false),
  })
  const logout = query.data
  return (
    <Page
      title="Logout token"
      parent={{ to: applicationPath(clientId), name: 'Application' }}
      actions={logout && <Redeliver logout={logout} />}
    >
      <Loaded query={query}>
        {(shown) => (
          <Columns>
            <Panel title="Attempts" description="The newest first. Each has a token of its own.">
              <AttemptList attempts={shown.attempts} />
            </Panel>
            <Panel title="Details">
              <Details logout={shown} />
            </Panel>
          </Columns>
        )}
      </Loaded>
    </Page>
  )
}

function Details({ logout }: { logout: LogoutDeliveryWithAttempts }) {
  const { id, sub, sid, status, reason, created_at, next_attempt_at, finished_at } = logout
  return (
    <Properties
      items={[
        ['Status', <Outcome key="status" of={status} />],
        ['Why', reason && <Why key="why" code={reason} words={sayReason(reason)} />],
        ['Person', sub && <Link to={`/persons/${sub}`}>{sub}</Link>],
        ['Session', sid ?? 'all of the person'],
        ['Delivery ID', <Copyable key="id" text={id} of="delivery ID" />],
        ['Created', <Time key="created" at={created_at} />],
        ['Next attempt', next_attempt_at && <Ago key="next" at={next_attempt_at} />],
        ['Ended', finished_at && <Time key="ended" at={finished_at} />],
      ]}
    />
  )
}

function Redeliver({ logout }: { logout: LogoutDeliveryWithAttempts }) {
  const path = { client_id: logout.client_id, delivery_id: logout.id }
  return (
    <AskingButton
      label="Resend"
      button={{ icon: 'refresh' }}
      refusal={useRefusal('deliveries:write') ?? (logout.finished_at ? undefined : 'It has not ended yet.')}
      title="Resend?"
      action="Resend"
      tone="primary"
      call={(signet) => signet.redeliverLogout({ path })}
      done="The logout token is due at once."
    >
      <p>It is due at once at the present address of the application, and is signed anew.</p>
    </AskingButton>
  )
}
