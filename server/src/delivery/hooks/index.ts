/**
 * Hooks: what receivers say while a person signs in, before the token is minted (6.2, rule 5).
 *
 * Owns: /organizations/webhooks/{webhook_id}/dry-run; the call of a hook in up to three attempts, what its response may
 * add to the token, and what a failure means; the slots for hooks, apart from those of events. No tables.
 * Management operations run no hook: a dry run is asked for.
 * Leaves to `webhooks` which webhooks have the trigger, to `attempts` token and request, and to `queue` the log, which gets
 * a row for each webhook of a run.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { type CallHook, type CallHookDependencies, createCallHook } from './call-hook.ts'
import { dryRun } from './dry-run.ts'
import { createRunTokenMinted, type RunTokenMinted } from './run-token-minted.ts'
import { createSlots } from './slots.ts'

export { keepHookClaims } from './protected-claims.ts'
export { TokenMinted } from './token-minted.ts'

export const hooksOperations = (dependencies: Parameters<typeof dryRun>[0]): Operation[] => [dryRun(dependencies)]

export type Hooks = {
  runTokenMinted: RunTokenMinted
  callHook: CallHook
  /** Breaks off the calls that are under way. */
  stop(): Promise<void>
}

type Dependencies = Omit<CallHookDependencies, 'turns'> & {
  limits: { total: number; perOrganization: number }
}

export function createHooks({ limits, ...dependencies }: Dependencies): Hooks {
  const callHook = createCallHook({ ...dependencies, turns: createSlots(limits) })
  const { database, clock, egress } = dependencies
  return { callHook, runTokenMinted: createRunTokenMinted({ database, clock, callHook }), stop: egress.close }
}
