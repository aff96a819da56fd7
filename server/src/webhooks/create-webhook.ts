import type { Database, Queries } from '../database/database.ts'
import type { Fragment } from '../database/sql.ts'
import { operation } from '../http/operation.ts'
import type { Keyring } from '../keys/index.ts'
import { withinLimit } from '../organizations/index.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { makeId } from '../runtime/identifiers.ts'
import { encryptHeaders } from './encrypted-headers.ts'
import { checkFields, NewWebhook, readNewWebhook } from './webhook-fields.ts'
import { targetTaken, toRecord, WebhookRecord } from './webhook-record.ts'
import { countWebhooks, insertWebhook } from './webhook-store.ts'

type Dependencies = {
  database: Database
  clock: Clock
  keyring: Keyring
  allowPorts?: ReadonlySet<number> | undefined
  /** The lane of `webhook`, a part of the statement that inserts it. */
  openLane: Fragment
}

export const createWebhook = ({ database, clock, keyring, allowPorts, openLane }: Dependencies) =>
  operation({
    id: 'createWebhook',
    method: 'POST',
    path: '/organizations/webhooks',
    access: 'key',
    scope: 'webhooks:write',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'A new webhook has no triggers and is not called until it gets some. A target that another webhook of the ' +
      'organization has, however it is spelt: 409.',
    body: NewWebhook,
    rules: [({ body }) => checkFields(body, allowPorts)],
    status: 201,
    result: WebhookRecord,
    refusals: [402, 409],
    handle: async (call) => {
      const { organizationId, limits } = call
      const now = clock.now()
      const columns = readNewWebhook(
        call.body,
        (headers) => encryptHeaders(keyring, organizationId, headers),
        allowPorts,
      )
      const webhook = { id: makeId(now), created_at: toTimestamp(now), ...columns }
      const insert = (queries: Queries) => insertWebhook(queries, organizationId, webhook, openLane)
      const limit = limits.max_webhooks
      const created =
        limit === undefined
          ? await insert(database.write)
          : await database.transaction(async (tx) => {
              const count = () => countWebhooks(tx, organizationId)
              await withinLimit(tx, organizationId, { limit, adding: 1, count, what: 'webhooks' })
              return insert(tx)
            })
      if (!created) throw targetTaken()
      return toRecord(created, keyring, call)
    },
  })
