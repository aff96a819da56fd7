import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { named, rule } from '../../ground/http/chain/schemas.ts'
import { type Clock, dayMs, toDay } from '../../ground/runtime/clock.ts'
import { hasWebhook, noSuchWebhook, WebhookPath, webhookIdIn } from '../webhooks/index.ts'
import { countsByDay } from './delivery-log-store.ts'

const standardDays = 30

const DayCounts = named(
  'DeliveryCounts',
  Type.Object(
    {
      day: Type.String({ description: 'The day, in UTC.', examples: ['2026-11-25'] }),
      succeeded: Type.Integer({ description: 'How many were answered with 2XX.', examples: [4096] }),
      dropped: Type.Integer({ description: 'How many failed for good.', examples: [3] }),
      cancelled: Type.Integer({ description: 'How many ended with their trigger or webhook.', examples: [0] }),
    },
    { description: 'How the deliveries of a webhook ended that ended on one day.' },
  ),
)

export const getDeliveryCounts = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'countDeliveries',
    method: 'GET',
    path: '/organizations/webhooks/:webhook_id/delivery-counts',
    scope: 'deliveries:read',
    tag: 'Deliveries',
    summary: 'Count the deliveries of a webhook by day',
    description:
      'How many ended in which way on which day, the newest day first, only days with any. One that is delivered once more ' +
      'ends once more. Hook runs are not among them.',
    params: WebhookPath,
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 90,
          ...rule('must be an integer from 1 to 90'),
          description: `Today and the days before it, so many in all; absent: ${standardDays}.`,
        }),
      ),
    }),
    result: Type.Array(DayCounts, { description: 'The newest day first, only days with any.' }),
    handle: async ({ organizationId, params, query: { days = standardDays } }) => {
      const webhookId = webhookIdIn(params)
      if (!(await hasWebhook(database.pages, organizationId, webhookId))) throw noSuchWebhook()
      const firstDay = toDay(clock.now() - (days - 1) * dayMs)
      return countsByDay(database.pages, organizationId, webhookId, firstDay)
    },
  })
