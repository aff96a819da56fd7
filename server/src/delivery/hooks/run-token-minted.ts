import type { Database } from '../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { logHookRun } from '../queue/index.ts'
import { shownAnswer } from '../webhooks/attempts/index.ts'
import { listHooks } from '../webhooks/index.ts'
import type { CallHook, HookCall } from './call-hook.ts'
import { type Claims, maxResponseBytes } from './read-response.ts'
import { type TokenMinted, tokenMinted } from './token-minted.ts'

/** Of all hooks of a run together, as JSON (8): as many as one of them may return. */
const maxClaimsBytes = maxResponseBytes

/** Failed: the last attempt failed of a hook whose trigger does not say `on_failure: continue` (6.2, rule 5). */
type HookOutcome =
  | { outcome: 'succeeded'; claims: Claims }
  /** `detail`: which webhook, and why, for the log. */
  | { outcome: 'failed'; detail: string }

export type RunTokenMinted = (fired: { organizationId: string; content: TokenMinted }) => Promise<HookOutcome>

type Dependencies = { database: Database; clock: Clock; callHook: CallHook }

/**
 * Calls every webhook of the organization that has the trigger, in parallel, and returns the claims that they add to the token: of
 * two with the same claim, the webhook that was created first wins. No transaction may be open meanwhile.
 *
 * The run is in the delivery log before its outcome is known to the sign-in, at the price of one statement: no hook lets a person
 * in, or turns one away, that the log does not show, even if the process is killed the next moment. A run that is killed halfway
 * leaves no row, and no outcome either. Rejects when the database is unavailable.
 */
export const createRunTokenMinted =
  ({ database, clock, callHook }: Dependencies): RunTokenMinted =>
  async ({ organizationId, content }) => {
    const hooks = await listHooks(database.read, organizationId, tokenMinted)
    if (hooks.length === 0) return { outcome: 'succeeded', claims: {} }
    const run = { id: makeId(clock.now()), organizationId, content: JSON.stringify(content) }
    const { calls, claims } = mergeClaims(await Promise.all(hooks.map(({ webhookId }) => callHook(run, webhookId))))
    const finished = { runId: run.id, triggerName: tokenMinted, finishedAt: toTimestamp(clock.now()) }
    await logHookRun(database.write, organizationId, finished, calls)
    const failed = calls.find(({ status }, index) => status === 'dropped' && hooks[index]?.onFailure === 'fail')
    return failed ? { outcome: 'failed', detail: detailOf(failed) } : { outcome: 'succeeded', claims }
  }

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
