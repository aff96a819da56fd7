import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../ground/database/database.ts'
import { type FindSigners, type Signer, signJwt } from '../../ground/keys/index.ts'
import type { EgressClient, OutboundRequest, Outcome } from '../../ground/outbound/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import type { Span, Tracer, Work } from '../../ground/runtime/tracer.ts'
import type { Turns } from '../../ground/runtime/turns.ts'
import type { HookEnd } from '../queue/index.ts'
import {
  type AttemptInput,
  type AttemptRecord,
  hasOwnTraceparent,
  type MadeAttempt,
  makeToken,
  recordOf,
  sentAlike,
  toOutboundRequest,
} from '../webhooks/attempts/index.ts'
import type { LoadedTarget, LoadTargets } from '../webhooks/index.ts'
import { type Claims, maxResponseBytes, type Reading, readResponse } from './read-response.ts'
import type { Refusal } from './refusal.ts'
import { tokenMinted } from './token-minted.ts'

/** When the webhook sets none (6.2, rule 6). */
const defaultTimeoutMs = 2_000
/** 6.2, rule 5. */
const maxAttempts = 3
const pauseMs = 100
/** For a slot: as long as one attempt may take. */
const slotWaitMs = 2_000

/**
 * One firing of the trigger; its id is the `sub` of all its requests. `refused`: aborted once a hook of the run has refused. `until`: no
 * attempt and no wait of the run goes on after that, by `performance.now()`.
 */
type HookRun = { id: string; organizationId: string; content: string; refused?: AbortSignal; until?: number }

/** `jwt`: what it sent. */
type HookAttempt = { record: AttemptRecord; outcome: Outcome; jwt: string }

/** The call of one webhook in a run, in up to three attempts. `reason`: why it did not succeed. */
export type HookCall = HookEnd & {
  webhookId: string
  attempts: HookAttempt[]
  claims: Claims
  /** Protected claims that the receiver gave. */
  dropped: string[]
  /** Where its status is `refused`. */
  refusal?: Refusal
}

export type CallHook = (run: HookRun, webhookId: string) => Promise<HookCall>

export type CallHookDependencies = {
  database: Database
  clock: Clock
  /** Its connections are for hooks alone. */
  egress: EgressClient
  turns: Turns
  baseUrl: string
  loadTargets: LoadTargets
  findSigners: FindSigners
  onUnreadable: (organizationId: string, error: unknown) => void
  tracer: Tracer
  log: { info: (fields: object, message: string) => void }
  /** `seconds`: with all attempts, and the wait for a slot. */
  onCalled?: (call: { outcome: string; seconds: number }) => void
}

/** A slot is held through all attempts and the pauses between them, so that an organization cannot exceed its limit. */
export const createCallHook =
  (dependencies: CallHookDependencies): CallHook =>
  async (run, webhookId) => {
    const begunAt = performance.now()
    const finished = await dependencies.turns.takeWithin(
      timeLeft(run, slotWaitMs),
      run.organizationId,
      () => tryCall(run, webhookId, dependencies),
      () => ended({ webhookId, attempts: [] }, noSlot),
    )
    dependencies.onCalled?.({
      outcome: finished.reason ?? finished.status,
      seconds: (performance.now() - begunAt) / 1000,
    })
    if (finished.status === 'dropped') dependencies.log.info(lineOf(run, finished), 'hook failed')
    if (finished.status === 'refused') dependencies.log.info(lineOf(run, finished), 'hook refused')
    return finished
  }

/** Of `ms`, so much as the run has left. */
const timeLeft = ({ until = Number.POSITIVE_INFINITY }: HookRun, ms: number) =>
  Math.max(0, Math.min(ms, until - performance.now()))

/** With the operator's error codes. Never a header, a body or a secret; of a refusal the code, and not the reason. */
const lineOf = ({ id, organizationId }: HookRun, call: HookCall) => ({
  organization_id: organizationId,
  webhook_id: call.webhookId,
  run_id: id,
  trigger_name: tokenMinted,
  reason: call.reason,
  refusal_code: call.refusal?.code,
  attempts: call.attempts.map(({ record, outcome }) => ({
    duration_ms: Math.round(outcome.durationMs),
    status_code: record.status_code,
    error: outcome.kind === 'failed' ? outcome.error : record.error,
  })),
})

async function tryCall(run: HookRun, webhookId: string, dependencies: CallHookDependencies): Promise<HookCall> {
  const call: Begun = { webhookId, attempts: [] }
  for (;;) {
    if (run.refused?.aborted) return ended(call, overtaken)
    const attempt = await attemptWhenPossible(run, webhookId, dependencies)
    if ('status' in attempt) return ended(call, attempt)
    const { made, jwt } = attempt
    const reading = readResponse(made.outcome)
    call.attempts.push({ record: toRecord(made, call.attempts.length + 1, reading), outcome: made.outcome, jwt })
    if (reading.kind === 'claims')
      return { ...ended(call, succeeded), claims: reading.claims, dropped: reading.dropped }
    if (reading.kind === 'refused') return { ...ended(call, { status: 'refused' }), refusal: reading.refusal }
    if (reading.kind === 'unusable') return ended(call, { status: 'dropped', reason: 'unusable_answer' })
    const isOver = call.attempts.length === maxAttempts || timeLeft(run, pauseMs) < pauseMs
    if (isOver) return ended(call, { status: 'dropped', reason: 'attempts_failed' })
    await setTimeout(pauseMs)
  }
}

function toRecord(made: MadeAttempt, number: number, reading: Reading): AttemptRecord {
  const record = recordOf(made, number, reading.kind === 'unusable' ? reading.problem : undefined)
  const code = reading.kind === 'refused' ? reading.refusal.code : undefined
  return code === undefined ? record : { ...record, refusal_code: code }
}

/** An attempt for which the process has no file descriptor does not count; it is repeated for as long as one may wait for a slot. */
async function attemptWhenPossible(run: HookRun, webhookId: string, dependencies: CallHookDependencies) {
  const giveUpAt = performance.now() + timeLeft(run, slotWaitMs)
  for (;;) {
    const attempt = await attemptOnce(run, webhookId, dependencies)
    if ('status' in attempt || !isForWantOfDescriptors(attempt.made.outcome)) return attempt
    if (performance.now() + pauseMs > giveUpAt) return noSlot
    await setTimeout(pauseMs)
  }
}

const isForWantOfDescriptors = (outcome: Outcome) => outcome.kind === 'failed' && outcome.error === 'no_descriptors'

type Begun = Pick<HookCall, 'webhookId' | 'attempts'>

const ended = (call: Begun, end: HookEnd): HookCall => ({ ...call, ...end, claims: {}, dropped: [] })

/** The sign-in is over by the word of another hook: no further request is made. */
const overtaken: HookEnd = { status: 'cancelled', reason: 'sign_in_refused' }

/** A call that has not ended by then; what its receiver says in the end changes nothing. */
export const overtakenCall = (webhookId: string): HookCall => ended({ webhookId, attempts: [] }, overtaken)

/** Each attempt goes to the webhook's present address, and none to a webhook that has lost the trigger meanwhile. */
async function attemptOnce(
  run: HookRun,
  webhookId: string,
  dependencies: CallHookDependencies,
): Promise<{ made: MadeAttempt; jwt: string } | HookEnd> {
  const { id: sub, organizationId, content } = run
  const input = await prepare(organizationId, webhookId, dependencies)
  if ('status' in input) return input
  const trigger = { triggerType: 'sync_hook', triggerName: tokenMinted } as const
  const { signer, ...request } = input
  const { targetUrl } = request
  const token = makeToken({ organizationId, webhookId, ...trigger, sub, content, targetUrl }, signer, dependencies)
  const jwt = signJwt(token)
  // The key may have been withdrawn since it was looked up.
  if (signer.goodForMs() <= 0) return noSigningKey
  const startedAt = dependencies.clock.now()
  const timeoutMs = Math.max(1, Math.floor(timeLeft(run, request.timeoutMs)))
  const outbound = { ...toOutboundRequest({ ...request, timeoutMs }), keptFor: organizationId, body: jwt }
  const outcome = await postTraced(outbound, dependencies)
  return { made: { jti: token.jti, startedAt, sent: `${token.iat} ${sentAlike(input)}`, outcome }, jwt }
}

const attemptWork: Work = { name: 'hook attempt', kind: 'client', attributes: { 'signet.trigger_name': tokenMinted } }

const postTraced = (request: OutboundRequest & { body: string }, { tracer, egress }: CallHookDependencies) =>
  tracer.within(attemptWork, async (span) => {
    const outcome = await egress.post(span ? { ...request, headers: withTrace(request.headers, span) } : request)
    span?.set(
      outcome.kind === 'answered' ? { 'http.response.status_code': outcome.status } : { 'error.type': outcome.error },
    )
    return outcome
  })

const withTrace = (headers: string[], { traceparent }: Span) =>
  hasOwnTraceparent(headers) ? headers : [...headers, 'traceparent', traceparent]

const succeeded: HookEnd = { status: 'succeeded' }
const noSlot: HookEnd = { status: 'dropped', reason: 'no_slot' }
const noSigningKey: HookEnd = { status: 'dropped', reason: 'no_signing_key' }
/** A copy on another machine must call no receiver, and must not let persons in whom its receiver would have refused. */
const restored: HookEnd = { status: 'dropped', reason: 'webhook_restored' }

async function prepare(organizationId: string, webhookId: string, dependencies: CallHookDependencies) {
  const { database, loadTargets, findSigners, onUnreadable } = dependencies
  const [targets, signers] = await Promise.all([
    loadTargets(database.read, [{ organizationId, webhookId }]),
    findSigners([organizationId], onUnreadable),
  ])
  return toInput(targets.get(webhookId), signers.get(organizationId))
}

function toInput(target: LoadedTarget | undefined, signer: Signer | undefined): AttemptInput | HookEnd {
  if (!target) return { status: 'cancelled', reason: 'webhook_deleted' }
  const { targetUrl, headers, timeoutMs, triggers, isRestored } = target
  if (isRestored) return restored
  if (!triggers.has(`sync_hook ${tokenMinted}`)) return { status: 'cancelled', reason: 'trigger_deleted' }
  if (!headers) return { status: 'dropped', reason: 'unreadable_headers' }
  if (!signer) return noSigningKey
  const limits = { timeoutMs: timeoutMs || defaultTimeoutMs, keepBodyBytes: maxResponseBytes, needsBody: true }
  return { targetUrl, headers, signer, ...limits }
}
