import type { Transaction } from '../../ground/database/database.ts'
import type { Principal } from '../../ground/http/chain/operation.ts'
import { requireScopeFor } from '../../ground/http/chain/require-scopes.ts'
import type { Trigger } from './trigger.ts'
import { type Changes, listTriggers, type StoredWebhook } from './webhook-store.ts'

/**
 * Throws a 403 where a trigger is a synchronous hook and the key lacks `hooks:write`: a hook adds claims to everybody's tokens, and
 * refuses sign-ins. `field`: what of the call needs it.
 */
export function requireHookScope(principal: Principal | undefined, triggers: Pick<Trigger, 'type'>[], field: string) {
  if (triggers.some(({ type }) => type === 'sync_hook')) requireScopeFor(field, principal, 'hooks:write')
}

type Change = {
  organizationId: string
  principal: Principal | undefined
  /** Locked. */
  before: StoredWebhook
  changes: Changes
  enabled: boolean | undefined
}

/**
 * The same for a change of a webhook. Custom headers count even where they are as they were: the answer would tell a key that may not
 * read them whether it has guessed them. Resuming counts where the hook was restored, and is not called until then.
 */
export async function requireHookScopeToChange(tx: Transaction, change: Change) {
  const { organizationId, principal, before, changes, enabled } = change
  const isOther = (name: 'target_url' | 'timeout_ms') => changes[name] !== undefined && changes[name] !== before[name]
  const touched = {
    target_url: isOther('target_url'),
    custom_headers: changes.custom_headers !== undefined,
    timeout: isOther('timeout_ms'),
    enabled: enabled === true && before.is_restored,
  }
  const [field] = Object.entries(touched).find(([, isTouched]) => isTouched) ?? []
  if (field) requireHookScope(principal, (await listTriggers(tx, organizationId, before.id)) ?? [], field)
}
