/**
 * Hooks: what receivers say while a person signs in, before the token is minted (6.2, rule 5).
 *
 * Owns: /organizations/webhooks/{webhook_id}/dry-run; the call of a hook in up to three attempts, what its response may
 * add to the token, and what a failure means; the slots for hooks, apart from those of events. No tables.
 * Management operations run no hook: a dry run is asked for.
 * Leaves to `webhooks` which webhooks have the trigger, to `attempts` token and request, and to `delivery` the log, which gets
 * a row for each webhook of a run.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { dryRun } from './dry-run.ts'

export { createHooks, type Hooks } from './hooks.ts'
export { keepHookClaims } from './protected-claims.ts'
export { TokenMinted } from './token-minted.ts'

export const hooksOperations = (dependencies: Parameters<typeof dryRun>[0]): Operation[] => [dryRun(dependencies)]
