import type { Queries } from '../../ground/database/database.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { toHeaderLines } from './custom-headers.ts'
import { decryptHeaders } from './encrypted-headers.ts'
import type { LaneOfWebhook } from './lane-of-webhook.ts'
import { loadTargetRows, type StoredTarget } from './webhook-store.ts'

/** URL, headers and timeout of a webhook, as last read. */
export type Target = {
  targetUrl: string
  /** `[name, value, name, value]`. Undefined when no master key decrypts them: the webhook cannot be called now. */
  headers: string[] | undefined
  /** 0: the default of the trigger's type. */
  timeoutMs: number
  /**
   * From `<type> <name>` (`event PersonCreated_v1`) to the creation time in milliseconds. `checked`: the statement that read
   * the target has already matched the trigger.
   */
  triggers: Map<string, number> | 'checked'
}

export type LoadedTarget = Target & {
  triggers: Map<string, number>
  /** In a copy that was restored from a backup, until somebody resumes the webhook: nothing calls it. */
  isRestored: boolean
}

/** Keyed by webhook id. */
export type Targets = Map<string, Target>

/** Decrypts targets that were read together with their matching triggers. */
export type DecryptTargets = (organizationId: string, stored: Map<string, StoredTarget>) => Targets

/** Deleted webhooks are missing from the map. */
export type LoadTargets = (
  queries: Queries,
  webhooks: { organizationId: string; webhookId: string }[],
) => Promise<Map<string, LoadedTarget>>

export const createDecryptTargets =
  (keyring: Keyring): DecryptTargets =>
  (organizationId, stored) =>
    new Map(
      Array.from(stored, ([id, target]) => [
        id,
        { ...decryptTarget(keyring, organizationId, target), triggers: 'checked' },
      ]),
    )

export const createLoadTargets =
  (keyring: Keyring, lane: LaneOfWebhook): LoadTargets =>
  async (queries, webhooks) => {
    const organizationIds = webhooks.map((webhook) => webhook.organizationId)
    const webhookIds = webhooks.map((webhook) => webhook.webhookId)
    const rows = await loadTargetRows(queries, organizationIds, webhookIds, lane)
    return new Map(
      rows.map((row) => [
        row.id,
        {
          ...decryptTarget(keyring, row.org_id, row),
          triggers: new Map(Object.entries(row.triggers)),
          isRestored: row.is_restored,
        },
      ]),
    )
  }

const decryptTarget = (keyring: Keyring, organizationId: string, stored: StoredTarget): Omit<Target, 'triggers'> => ({
  targetUrl: stored.target_url,
  headers: headerLines(keyring, organizationId, stored.custom_headers),
  timeoutMs: stored.timeout_ms,
})

function headerLines(keyring: Keyring, organizationId: string, encrypted: Buffer | null): string[] | undefined {
  try {
    return toHeaderLines(decryptHeaders(keyring, organizationId, encrypted))
  } catch {
    return undefined
  }
}
