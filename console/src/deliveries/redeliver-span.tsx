import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { Filters } from '../attempts/delivery-words.ts'
import { EquivalentCurl } from '../calls/curl.tsx'
import { type Run, useSteps } from '../calls/use-steps.ts'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { fromLocal, toLocal } from '../design/local-time.ts'
import { Progress } from '../design/progress.tsx'
import { Failure } from '../design/state.tsx'
import { queries } from '../service/queries.ts'
import { type Call, signet } from '../service/signet.ts'
import { countUpTo } from './count-deliveries.ts'
import { type PartProgress, redeliverParts, type Span } from './redeliver-parts.ts'
import styles from './redeliver-span.module.css'

type Draft = { webhookId: string; since: string; until: string; status: string }
type RedeliverSpanProps = { filters: Filters; names: ReadonlyMap<string, string>; disabled: boolean }

/** Delivers once more what one webhook had finished in a span of time, in as many parts as it takes. */
export function RedeliverSpan({ filters, names, disabled }: RedeliverSpanProps) {
  const [isOpen, setOpen] = useState(false)
  const { run, start, stop, reset } = useSteps<PartProgress>()
  async function close() {
    setOpen(false)
    reset()
    // Not before: until then the dialog says how many there were.
    await queries.invalidateQueries({ queryKey: ['searchDeliveries'] })
  }
  return (
    <>
      <Button icon="clock" disabled={disabled} onClick={() => setOpen(true)}>
        Recover failed
      </Button>
      <Dialog isOpen={isOpen} isModal={run.state === 'running'} title="Recover failed deliveries" onClose={close}>
        <SpanForm filters={filters} names={names} run={run} start={start} stop={stop} close={close} />
      </Dialog>
    </>
  )
}

type SpanFormProps = Omit<RedeliverSpanProps, 'disabled'> & {
  run: Run<PartProgress>
  start: (steps: (signal: AbortSignal) => AsyncGenerator<PartProgress>) => Promise<void>
  stop: () => void
  close: () => void
}

const dayMs = 86_400_000

const draftOf = ({ webhook_id, since, until, status }: Filters, names: SpanFormProps['names']): Draft => ({
  webhookId: webhook_id ?? names.keys().next().value ?? '',
  since: toLocal(since ? Date.parse(since) : Date.now() - dayMs),
  until: toLocal(until ? Date.parse(until) : Date.now()),
  status: status === 'succeeded' || status === 'cancelled' ? status : 'dropped',
})

function SpanForm({ filters, names, run, start, stop, close }: SpanFormProps) {
  const [draft, setDraft] = useState(() => draftOf(filters, names))
  const span = spanOf(draft)
  const call = useRedeliverSpan(draft)
  const begin = () =>
    span && start((signal) => redeliverParts(span, { redeliver: (part) => call(part)(signet), signal }))
  return (
    <>
      <Fields draft={draft} names={names} setDraft={setDraft} disabled={run.state === 'running'} />
      {span ? <Count draft={draft} span={span} /> : <p role="status">From must be before until.</p>}
      {run.state !== 'idle' && span && <Report run={run} span={span} />}
      <div className={styles.actions}>
        {run.state === 'running' ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <Button tone="primary" disabled={!span || !draft.webhookId} onClick={begin}>
            Resend
          </Button>
        )}
        <Button tone="quiet" disabled={run.state === 'running'} onClick={close}>
          Close
        </Button>
      </div>
      {span && <Curl call={call} span={span} />}
    </>
  )
}

function useRedeliverSpan({ webhookId, status }: Draft) {
  return useCallback(
    ({ since, until }: Span): Call =>
      (client) =>
        client.redeliverSpan({ path: { webhook_id: webhookId }, body: { since, until, ...finalStatus(status) } }),
    [webhookId, status],
  )
}

function finalStatus(status: string) {
  const given = (['succeeded', 'dropped', 'cancelled'] as const).find((known) => known === status)
  return given && { status: given }
}

function Curl({ call, span: { since, until } }: { call: (span: Span) => Call; span: Span }) {
  const whole: Call = useCallback((client) => call({ since, until })(client), [call, since, until])
  return <EquivalentCurl call={whole} />
}

/** Undefined where it is none. */
function spanOf({ since, until }: Draft): Span | undefined {
  const [from, to] = [fromLocal(since), fromLocal(until)]
  return from && to && from < to ? { since: from, until: to } : undefined
}

type FieldsProps = {
  draft: Draft
  names: SpanFormProps['names']
  setDraft: (draft: Draft) => void
  disabled: boolean
}

function Fields({ draft, names, setDraft, disabled }: FieldsProps) {
  const set = (changed: Partial<Draft>) => setDraft({ ...draft, ...changed })
  const time = { type: 'datetime-local', disabled } as const
  return (
    <>
      <SelectField
        name="webhook_id"
        label="Webhook"
        value={draft.webhookId}
        disabled={disabled}
        options={names.has(draft.webhookId) ? [...names] : [...names, [draft.webhookId, draft.webhookId || 'none']]}
        onChange={(webhookId) => set({ webhookId })}
      />
      <div className={styles.span}>
        <TextField {...time} name="since" label="From" value={draft.since} onChange={(since) => set({ since })} />
        <TextField {...time} name="until" label="Until" value={draft.until} onChange={(until) => set({ until })} />
      </div>
      <SelectField
        name="status"
        label="Which ended as"
        value={draft.status}
        disabled={disabled}
        options={[
          ['dropped', 'failed'],
          ['cancelled', 'cancelled'],
          ['succeeded', 'succeeded'],
          ['any', 'any of the three'],
        ]}
        hint="By the time of the event. Runs of the synchronous hook stay as they are, and so does what lost its trigger."
        onChange={(status) => set({ status })}
      />
    </>
  )
}

const maxCounted = 10_000

/** How many it concerns, before anything is sent. */
function Count({ draft: { webhookId, status }, span }: { draft: Draft; span: Span }) {
  const { data, isError } = useQuery({
    queryKey: ['searchDeliveries', 'span', webhookId, status, span],
    queryFn: ({ signal }) =>
      countUpTo(maxCounted, (query) =>
        signet.searchDeliveries({
          query: { ...query, webhook_id: webhookId, ...finalStatus(status), ...span },
          signal,
        }),
      ),
    enabled: webhookId !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (isError) return <p role="status">How many deliveries are in the span is not known.</p>
  if (!data) return <p role="status">Counting…</p>
  const { count, isMore } = data
  return (
    <p role="status">
      {isMore ? 'More than ' : ''}
      {count.toLocaleString()} finished {count === 1 ? 'delivery is' : 'deliveries are'} in the span.
      {isMore && ' They are resent in parts of 10,000.'}
    </p>
  )
}

/** How far it has come, in time: the service does not say how many a part had. */
function Report({ run, span }: { run: Run<PartProgress>; span: Span }) {
  const [from, to] = [Date.parse(span.since), Date.parse(span.until)]
  const at = run.step ? Date.parse(run.step.since) : from
  const parts = run.step?.parts ?? 0
  return (
    <div>
      <Progress label={`${parts} ${parts === 1 ? 'part' : 'parts'} done`} value={at - from} max={to - from} />
      <p role="status">{reports[run.state]}</p>
      {run.state === 'failed' && <Failure error={run.error} />}
    </div>
  )
}

const reports: Record<Run<unknown>['state'], string> = {
  idle: '',
  running: 'Resending…',
  stopped: 'Stopped. The parts that are done stay done.',
  done: 'Done: what was finished in the span is due at once.',
  failed: '',
}
