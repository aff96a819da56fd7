import { Type } from 'typebox'
import { conflict, notFound } from '../../ground/errors.ts'
import { CreatedAt, idInPath, named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { formatDuration } from '../../ground/runtime/duration.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { decryptHeaders } from './encrypted-headers.ts'
import { webhookFields } from './webhook-fields.ts'
import type { StoredWebhook } from './webhook-store.ts'

const { target_url, name, description, custom_headers, timeout, enabled } = webhookFields

export const WebhookRecord = named(
  'Webhook',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id of the webhook.' },
      target_url,
      name,
      description,
      custom_headers: Type.Optional(custom_headers),
      timeout,
      enabled,
      paused_reason: Type.Optional(
        Type.Enum(['requested', 'failing', 'restored'], {
          description:
            'While it is not enabled: somebody asked for it; no call succeeded for five days (a setting); or this is a copy ' +
            'that was restored from a backup, where synchronous hooks are not called either.',
        }),
      ),
      failing_since: Type.Optional({
        ...Timestamp,
        description:
          'The first failed attempt after the last one that succeeded, of deliveries; absent while the last one succeeded, and until ' +
          'the first one after the webhook was resumed.',
      }),
      created_at: CreatedAt,
    },
    {
      description: 'An address that is called for its triggers.',
      examples: [
        {
          id: '0199a3f2-5c00-7000-8000-0242ac120002',
          target_url: 'https://receiver.example.com/hook',
          name: 'Customer records',
          description: 'Looked after by the platform team',
          custom_headers: { authorization: ['Bearer 2nQ7'] },
          timeout: '5s',
          enabled: true,
          created_at: '2026-11-25T09:30:00.000Z',
        },
      ],
    },
  ),
)

type Reader = { organizationId: string; isAdmin: boolean }

/** Only an admin key sees the custom headers, which may hold credentials. */
export const toRecord = (webhook: StoredWebhook, keyring: Keyring, { organizationId, isAdmin }: Reader) => ({
  id: webhook.id,
  target_url: webhook.target_url,
  name: webhook.name,
  description: webhook.description,
  ...(isAdmin && { custom_headers: decryptHeaders(keyring, organizationId, webhook.custom_headers) }),
  timeout: formatDuration(webhook.timeout_ms),
  enabled: webhook.paused_reason === null,
  paused_reason: webhook.paused_reason ?? undefined,
  failing_since: webhook.failing_since ?? undefined,
  created_at: webhook.created_at,
})

/** For the audit log, which conceals the headers. Those that no master key decrypts do not keep a webhook from being changed. */
export function toAudited(webhook: StoredWebhook, keyring: Keyring, organizationId: string) {
  try {
    return toRecord(webhook, keyring, { organizationId, isAdmin: true })
  } catch {
    return toRecord(webhook, keyring, { organizationId, isAdmin: false })
  }
}

export const WebhookPath = Type.Object({ webhook_id: idInPath('The id of the webhook.') })

/** A text that is no UUID is not found, like an unknown id. */
export function webhookIdIn({ webhook_id }: { webhook_id: string }): string {
  if (!isUuid(webhook_id)) throw noSuchWebhook()
  return webhook_id.toLowerCase()
}

export const noSuchWebhook = () => notFound('webhook')
export const targetTaken = () => conflict('already_exists', 'target_url: is the target of another webhook already')
