import type { Database } from '../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { logHookRun } from '../queue/index.ts'
import { shownAnswer } from '../webhooks/attempts/index.ts'
import { listHooks } from '../webhooks/index.ts'
import { type CallHook, type HookCall, overtakenCall } from './call-hook.ts'
import { type Claims, maxClaimsBytes } from './read-response.ts'
import type { Refusal } from './refusal.ts'
import { type TokenMinted, tokenMinted } from './token-minted.ts'

/**
 * Refused: by the word of at least one hook, whatever the others did. Failed: the last attempt failed of a hook whose trigger does
 * not say `on_failure: continue` (6.2, rule 5). `detail` is for the log.
 */
type HookOutcome =
  | { outcome: 'succeeded'; claims: Claims }
  | { outcome: 'refused'; refusal: Refusal; detail: string }
  | { outcome: 'failed'; detail: string }

/**
 * `mayFailAfterMs`: all calls together are waited for so long, and one that fails, whatever its trigger says, is as one that adds no claim. A
 * refusal holds all the same.
 */
type Fired = { organizationId: string; content: TokenMinted; mayFailAfterMs?: number }
export type RunTokenMinted = (fired: Fired) => Promise<HookOutcome>

type Dependencies = { database: Database; clock: Clock; callHook: CallHook }

/**
 * Calls every webhook of the organization that has the trigger, in parallel, and returns the claims that they add to the token: of
 * two with the same claim, the webhook that was created first wins. No transaction may be open meanwhile.
 *
 * The first refusal to arrive ends the run and gives the reason: the others are not waited for, and are tried no more.
 *
 * The run is in the delivery log before its outcome is known to the sign-in, at the price of one statement: no hook lets a person
 * in, or turns one away, that the log does not show, even if the process is killed the next moment. A run that is killed halfway
 * leaves no row, and no outcome either. Rejects when the database is unavailable.
 */
export const createRunTokenMinted =
  ({ database, clock, callHook }: Dependencies): RunTokenMinted =>
  async ({ organizationId, content, mayFailAfterMs }) => {
    const hooks = await listHooks(database.read, organizationId, tokenMinted)
    if (hooks.length === 0) return { outcome: 'succeeded', claims: {} }
    const until = mayFailAfterMs === undefined ? {} : { until: performance.now() + mayFailAfterMs }
    const run = { id: makeId(clock.now()), organizationId, content: JSON.stringify(content), ...until }
    const { calls, claims } = mergeClaims(await callAll(run, hooks, callHook))
    const finished = { runId: run.id, triggerName: tokenMinted, finishedAt: toTimestamp(clock.now()) }
    await logHookRun(database.write, organizationId, finished, calls)
    const refused = calls.find(({ refusal }) => refusal)
    if (refused) return { outcome: 'refused', refusal: refused.refusal ?? {}, detail: refusalOf(refused) }
    if (mayFailAfterMs !== undefined) return { outcome: 'succeeded', claims }
    const failed = calls.find(({ status }, index) => status === 'dropped' && hooks[index]?.onFailure === 'fail')
    return failed ? { outcome: 'failed', detail: detailOf(failed) } : { outcome: 'succeeded', claims }
  }

/** The call of each hook, in their order; where one has refused, those that have not ended by then are overtaken. */
async function callAll(
  run: Omit<Parameters<CallHook>[0], 'refused'>,
  hooks: { webhookId: string }[],
  callHook: CallHook,
) {
  const refusal = new AbortController()
  const refused = Promise.withResolvers<undefined>()
  const ended: HookCall[] = []
  const calls = hooks.map(async ({ webhookId }, index) => {
    const call = await callHook({ ...run, refused: refusal.signal }, webhookId)
    if (!refusal.signal.aborted) ended[index] = call
    if (call.status !== 'refused') return
    refusal.abort()
    refused.resolve(undefined)
  })
  await Promise.race([Promise.all(calls), refused.promise])
  return hooks.map(({ webhookId }, index) => ended[index] ?? overtakenCall(webhookId))
}

/** Without the reason, which may name a person. */
const refusalOf = ({ webhookId, refusal }: HookCall): string =>
  [`webhook ${webhookId}: refused`, refusal?.code].filter(Boolean).join(', ')

function detailOf({ webhookId, reason, attempts }: HookCall): string {
  const { status_code, error } = attempts.at(-1)?.record ?? {}
  return [`webhook ${webhookId}: ${reason}`, status_code && `HTTP ${status_code}`, error].filter(Boolean).join(', ')
}

/** In the order in which webhooks were created, the first wins claims and bytes. A call whose claims no longer fit has failed. */
function mergeClaims(inOrder: HookCall[]): { calls: HookCall[]; claims: Claims } {
  let claims: Claims = {}
  const calls = inOrder.map((call) => {
    const merged = { ...call.claims, ...claims }
    if (Buffer.byteLength(JSON.stringify(merged)) > maxClaimsBytes) return tooLarge(call)
    claims = merged
    return call
  })
  return { calls, claims }
}

/** Fails as a response that is too large by itself. */
function tooLarge(call: HookCall): HookCall {
  const last = call.attempts.at(-1) as HookCall['attempts'][number]
  const answer = last.outcome.kind === 'answered' ? shownAnswer(last.outcome.answer) : ''
  const attempts = call.attempts.with(-1, { ...last, record: { ...last.record, error: 'claims_too_large', answer } })
  return { ...call, status: 'dropped', reason: 'unusable_answer', attempts, claims: {}, dropped: [] }
}
