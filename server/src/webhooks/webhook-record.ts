import { Type } from 'typebox'
import { formatDuration } from '../duration.ts'
import { conflict, notFound } from '../errors.ts'
import { Timestamp, Uuid } from '../http/schemas.ts'
import { isUuid } from '../identifiers.ts'
import type { Vault } from '../keys/index.ts'
import { openHeaders } from './sealed-headers.ts'
import { webhookFields } from './webhook-fields.ts'
import type { StoredWebhook } from './webhook-store.ts'

const { target_url, name, description, custom_headers, timeout } = webhookFields

export const WebhookRecord = Type.Object({
  id: Uuid,
  target_url,
  name,
  description,
  custom_headers: Type.Optional(custom_headers),
  timeout,
  enabled: Type.Boolean({ description: 'Whether its event triggers are called. Sync hooks are, either way.' }),
  paused_reason: Type.Optional(
    Type.Enum(['requested', 'failing'], {
      description: 'While it is not enabled: somebody asked for it, or no call succeeded for five days (a setting).',
    }),
  ),
  created_at: Timestamp,
})

type Reader = { organizationId: string; readOnly: boolean }

/** As its organization sees it; with a read-only key, without the custom headers: they are as good as a password. */
export const toRecord = (webhook: StoredWebhook, vault: Vault, { organizationId, readOnly }: Reader) => ({
  id: webhook.id,
  target_url: webhook.target_url,
  name: webhook.name,
  description: webhook.description,
  ...(readOnly ? {} : { custom_headers: openHeaders(vault, organizationId, webhook.custom_headers) }),
  timeout: formatDuration(webhook.timeout_ms),
  enabled: webhook.paused_reason === null,
  paused_reason: webhook.paused_reason ?? undefined,
  created_at: webhook.created_at,
})

export const WebhookPath = Type.Object({ webhook_id: Type.String({ description: 'The webhook.' }) })

/** What is no UUID names no webhook. */
export function webhookIdIn({ webhook_id }: { webhook_id: string }): string {
  if (!isUuid(webhook_id)) throw noSuchWebhook()
  return webhook_id.toLowerCase()
}

export const noSuchWebhook = () => notFound('webhook')
export const targetTaken = () => conflict('target_url: is the target of another webhook already')
