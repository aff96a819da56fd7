import { useState } from 'react'
import { useSteps } from '../calls/use-steps.ts'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Progress } from '../design/progress.tsx'
import { Link } from '../router/index.ts'
import { queries } from '../service/queries.ts'
import { signet } from '../service/signet.ts'
import { type Chosen, type EachProgress, type Refusal, redeliverEach } from './redeliver-each.ts'

type RedeliverChosenProps = { chosen: readonly Chosen[]; onDone: () => void }

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const redeliver = ({ webhook_id, id: delivery_id }: Chosen) => signet.redeliver({ path: { webhook_id, delivery_id } })

/** Delivers once more what was chosen, one after the other, with a way to stop. */
export function RedeliverChosen({ chosen, onDone }: RedeliverChosenProps) {
  const [isOpen, setOpen] = useState(false)
  const { run, start, stop } = useSteps<EachProgress>()
  const isRunning = run.state === 'running'
  const begin = async () => {
    await start((signal) => redeliverEach(chosen, { redeliver, wait, signal }))
    await queries.invalidateQueries({ queryKey: ['searchDeliveries'] })
  }
  const close = () => {
    setOpen(false)
    if (run.state !== 'idle') onDone()
  }
  return (
    <>
      <Button tone="primary" size="small" icon="refresh" onClick={() => setOpen(true)}>
        Resend {chosen.length.toLocaleString()}
      </Button>
      <Dialog
        isOpen={isOpen}
        isModal={isRunning}
        title={`Resend ${count(chosen.length)}?`}
        onClose={close}
        actions={<Actions state={run.state} begin={begin} stop={stop} close={close} />}
      >
        <p>
          Each is due at once, has a new window for its retries, and is signed anew with the same sub: a receiver that
          has handled it ignores it.
        </p>
        {run.state !== 'idle' && (
          <Report total={chosen.length} progress={run.step} isStopped={run.state === 'stopped'} />
        )}
      </Dialog>
    </>
  )
}

const count = (deliveries: number) => `${deliveries.toLocaleString()} ${deliveries === 1 ? 'delivery' : 'deliveries'}`

type ActionsProps = { state: string; begin: () => void; stop: () => void; close: () => void }

function Actions({ state, begin, stop, close }: ActionsProps) {
  if (state === 'running') return <Button onClick={stop}>Stop</Button>
  if (state !== 'idle') return <Button onClick={close}>Close</Button>
  return (
    <>
      <Button tone="primary" onClick={begin}>
        Resend
      </Button>
      <Button onClick={close}>Cancel</Button>
    </>
  )
}

type ReportProps = { total: number; progress: EachProgress | undefined; isStopped: boolean }

function Report({ total, progress = { done: 0, refused: [] }, isStopped }: ReportProps) {
  const { done, refused } = progress
  const accepted = done - refused.length
  return (
    <>
      <Progress label={`${done.toLocaleString()} of ${total.toLocaleString()}`} value={done} max={total} />
      <p role="status">
        {isStopped && 'Stopped. '}
        {count(accepted)} accepted{refused.length > 0 && `, ${refused.length.toLocaleString()} refused`}.
      </p>
      {refused.length > 0 && (
        <ul>
          {refused.slice(0, maxRefusals).map((refusal) => (
            <RefusalLine key={`${refusal.delivery.webhook_id} ${refusal.delivery.id}`} refusal={refusal} />
          ))}
        </ul>
      )}
      {refused.length > maxRefusals && <p>The first {maxRefusals} refusals are shown.</p>}
    </>
  )
}

const maxRefusals = 20

const RefusalLine = ({ refusal: { delivery, message } }: { refusal: Refusal }) => (
  <li>
    <Link to={`/deliveries/${delivery.webhook_id}/${delivery.id}`}>{delivery.id}</Link>: {message}
  </li>
)
