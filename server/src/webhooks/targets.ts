import type { Queries } from '../database/database.ts'
import type { Vault } from '../keys/index.ts'
import { toHeaderLines } from './custom-headers.ts'
import { openHeaders } from './sealed-headers.ts'
import { loadTargetRows } from './webhook-store.ts'

/** Where a webhook is called, and how, at present. */
export type Target = {
  targetUrl: string
  /** Flat: name, value, name, value. Undefined when no master key opens them: the webhook cannot be called now. */
  headers: string[] | undefined
  /** 0: the default of the trigger's type. */
  timeoutMs: number
  /** When each was created, in milliseconds, by `<type> <name>`: `event PersonCreated_v1`. */
  triggers: Map<string, number>
}

/** By webhook id; what was deleted is missing. */
export type LoadTargets = (
  queries: Queries,
  webhooks: { organizationId: string; webhookId: string }[],
) => Promise<Map<string, Target>>

export const createLoadTargets =
  (vault: Vault): LoadTargets =>
  async (queries, webhooks) => {
    const organizationIds = webhooks.map((webhook) => webhook.organizationId)
    const webhookIds = webhooks.map((webhook) => webhook.webhookId)
    const rows = await loadTargetRows(queries, organizationIds, webhookIds)
    return new Map(
      rows.map((row) => [
        row.id,
        {
          targetUrl: row.target_url,
          headers: headerLines(vault, row.org_id, row.custom_headers),
          timeoutMs: row.timeout_ms,
          triggers: new Map(Object.entries(row.triggers)),
        },
      ]),
    )
  }

function headerLines(vault: Vault, organizationId: string, sealed: Buffer | null): string[] | undefined {
  try {
    return toHeaderLines(openHeaders(vault, organizationId, sealed))
  } catch {
    return undefined
  }
}
