import type { Queries } from '../database/database.ts'
import type { Vault } from '../keys/index.ts'
import { toHeaderLines } from './custom-headers.ts'
import { openHeaders } from './sealed-headers.ts'
import { loadTargetRows, type TargetRow } from './webhook-store.ts'

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

/** By webhook id. */
export type Targets = Map<string, Target>

/** Of rows that were read already. */
export type OpenTargets = (rows: TargetRow[]) => Targets

/** What was deleted is missing. */
export type LoadTargets = (
  queries: Queries,
  webhooks: { organizationId: string; webhookId: string }[],
) => Promise<Targets>

export const createOpenTargets =
  (vault: Vault): OpenTargets =>
  (rows) =>
    new Map(rows.map((row) => [row.id, openTarget(vault, row)]))

export const createLoadTargets = (vault: Vault): LoadTargets => {
  const openTargets = createOpenTargets(vault)
  return async (queries, webhooks) => {
    const organizationIds = webhooks.map((webhook) => webhook.organizationId)
    const webhookIds = webhooks.map((webhook) => webhook.webhookId)
    return openTargets(await loadTargetRows(queries, organizationIds, webhookIds))
  }
}

const openTarget = (vault: Vault, row: TargetRow): Target => ({
  targetUrl: row.target_url,
  headers: headerLines(vault, row.org_id, row.custom_headers),
  timeoutMs: row.timeout_ms,
  triggers: new Map(Object.entries(row.triggers)),
})

function headerLines(vault: Vault, organizationId: string, sealed: Buffer | null): string[] | undefined {
  try {
    return toHeaderLines(openHeaders(vault, organizationId, sealed))
  } catch {
    return undefined
  }
}
