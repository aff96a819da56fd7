/**
 * Webhooks: which URLs an organization wants called, and by which triggers.
 *
 * Owns: /organizations/webhooks, /organizations/webhooks/{webhook_id}, its /triggers, the published key set at
 * /organizations/webhooks/verification-jwks and /organizations/{id}/webhooks/verification-jwks, the keys in it at
 * /organizations/webhooks/verification-keys and their rotation, and when which key signs; the tables webhooks and triggers; the rules
 * for targets and headers.
 * A webhook's lane belongs to `queue`, whose functions for pausing and resuming it, and parts of statements that open and read it, are
 * injected.
 * Leaves to `queue` and `hooks` the requests themselves, and to `queue` what becomes of deliveries whose webhook or
 * trigger was deleted; to `events` the names of events; to `keys` the signing keys and the encryption of headers.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { changeWebhook } from './change-webhook.ts'
import { createTrigger } from './create-trigger.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteTrigger } from './delete-trigger.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { getVerificationKeys } from './get-verification-keys.ts'
import { getWebhook } from './get-webhook.ts'
import { listTriggers } from './list-triggers.ts'
import { listVerificationKeys } from './list-verification-keys.ts'
import { listWebhooks } from './list-webhooks.ts'
import { rotateVerificationKeys } from './rotate-verification-keys.ts'

export type { LaneOfWebhook } from './lane-of-webhook.ts'
export type { Revoke } from './revoke.ts'
export { brokenTargetRule } from './target-url.ts'
export {
  createDecryptTargets,
  createLoadTargets,
  type DecryptTargets,
  type LoadedTarget,
  type LoadTargets,
  type Target,
  type Targets,
} from './targets.ts'
export { TriggerRecord, type TriggerType } from './trigger.ts'
export { maxTimeoutMs, NameFilter } from './webhook-fields.ts'
export { noSuchWebhook, WebhookPath, WebhookRecord, webhookIdIn } from './webhook-record.ts'
export {
  countWebhooks,
  findTargetUrl,
  hasTrigger,
  hasWebhook,
  isCalled,
  listHooks,
  namesOfWebhooks,
  type StoredTarget,
  searchWebhooks,
  triggersOfWebhooks,
} from './webhook-store.ts'

type Dependencies = Parameters<typeof changeWebhook>[0] &
  Parameters<typeof createWebhook>[0] &
  Parameters<typeof getVerificationKeys>[0]

export const webhooksOperations = (dependencies: Dependencies): Operation[] => [
  createWebhook(dependencies),
  listWebhooks(dependencies),
  getWebhook(dependencies),
  changeWebhook(dependencies),
  deleteWebhook(dependencies),
  createTrigger(dependencies),
  listTriggers(dependencies),
  deleteTrigger(dependencies),
  ...getVerificationKeys(dependencies),
  listVerificationKeys(dependencies),
  rotateVerificationKeys(dependencies),
]
