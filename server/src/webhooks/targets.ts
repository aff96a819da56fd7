import type { Queries } from '../database/database.ts'
import type { Keyring } from '../keys/index.ts'
import { toHeaderLines } from './custom-headers.ts'
import { decryptHeaders } from './encrypted-headers.ts'
import { loadTargetRows, type StoredTarget } from './webhook-store.ts'

/** Where a webhook is called, and how, when it was read last. */
export type Target = {
  targetUrl: string
  /** Flat: name, value, name, value. Undefined when no master key opens them: the webhook cannot be called now. */
  headers: string[] | undefined
  /** 0: the default of the trigger's type. */
  timeoutMs: number
  /**
   * When each was created, in milliseconds, by `<type> <name>`: `event PersonCreated_v1`. `checked`: the target was read with the
   * trigger that asked for it.
   */
  triggers: Map<string, number> | 'checked'
}

export type LoadedTarget = Target & { triggers: Map<string, number> }

/** By webhook id. */
export type Targets = Map<string, Target>

/** Of an organization's webhooks, by their ids: read together with the triggers that ask for them. */
export type DecryptTargets = (organizationId: string, stored: Map<string, StoredTarget>) => Targets

/** What was deleted is missing. */
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
        { ...openTarget(keyring, organizationId, target), triggers: 'checked' },
      ]),
    )

export const createLoadTargets =
  (keyring: Keyring): LoadTargets =>
  async (queries, webhooks) => {
    const organizationIds = webhooks.map((webhook) => webhook.organizationId)
    const webhookIds = webhooks.map((webhook) => webhook.webhookId)
    const rows = await loadTargetRows(queries, organizationIds, webhookIds)
    return new Map(
      rows.map((row) => [
        row.id,
        { ...openTarget(keyring, row.org_id, row), triggers: new Map(Object.entries(row.triggers)) },
      ]),
    )
  }

const openTarget = (keyring: Keyring, organizationId: string, stored: StoredTarget): Omit<Target, 'triggers'> => ({
  targetUrl: stored.target_url,
  headers: headerLines(keyring, organizationId, stored.custom_headers),
  timeoutMs: stored.timeout_ms,
})

function headerLines(keyring: Keyring, organizationId: string, sealed: Buffer | null): string[] | undefined {
  try {
    return toHeaderLines(decryptHeaders(keyring, organizationId, sealed))
  } catch {
    return undefined
  }
}
