import type { DryRun } from '@signet/management'
import { AttemptList } from '../attempts/attempt-list.tsx'
import { Code, Json } from '../design/code.tsx'
import { Panel, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Notice } from '../design/state.tsx'
import { sayReason } from '../outcomes/outcome-words.ts'

/** What the hook was sent, what it answered, and what a token would get from it. */
export function DryRunResult({ run }: { run: DryRun }) {
  return (
    <Stack>
      <Outcome run={run} />
      <Panel title="What the token would get">
        <Stack>
          <Json value={run.claims} label="Claims" />
          {run.dropped_claims.length > 0 && <Dropped names={run.dropped_claims} />}
        </Stack>
      </Panel>
      <Panel title="Attempts">
        <AttemptList attempts={run.attempts} isHook />
      </Panel>
      <Panel title="Request and answer" description="Of the last attempt. Custom headers are sent, too, but not shown.">
        <Stack>
          {run.request && <Json value={run.request.claims} label="Claims of the JWT" />}
          {run.request && <Code text={run.request.jwt} label="The body: the JWT" wrap />}
          {run.answer && (
            <Code text={run.answer.body || '(empty)'} label={`Answer with status ${run.answer.status_code}`} wrap />
          )}
          {!run.answer && <p>There was no answer.</p>}
        </Stack>
      </Panel>
    </Stack>
  )
}

function Outcome({ run: { status, reason, refusal } }: { run: DryRun }) {
  if (status === 'refused') return <Refused refusal={refusal} />
  if (status === 'succeeded') return <Notice tone="good" title="The hook succeeded: a sign-in would go on." />
  return (
    <Notice tone="bad" title="The hook failed.">
      {reason && sayReason(reason)} A sign-in would fail, unless the trigger says that it goes on without the claims.
    </Notice>
  )
}

/** What the application would show to the person, as text: it is the receiver's. */
const Refused = ({ refusal }: Pick<DryRun, 'refusal'>) => (
  <Notice tone="warn" title="The hook refused: a sign-in would end here, whatever the trigger says.">
    <Properties
      items={[
        ['Reason, for the application', refusal?.reason ?? 'none that can be used'],
        ['Code, for the delivery log', refusal?.code ?? 'none that can be used'],
      ]}
    />
  </Notice>
)

const Dropped = ({ names }: { names: readonly string[] }) => (
  <Notice tone="warn" title={`Dropped: ${names.join(', ')}`}>
    These claims are protected: Signet sets them itself, so that only these members of the answer were left out.
  </Notice>
)
