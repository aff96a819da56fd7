import type { WebhookStatistics } from '@signet/management'
import { queryOptions } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'

const refreshMs = 30_000

/** How one webhook did in the last 24 hours; null: it is gone. */
export const healthQuery = (webhookId: string) =>
  queryOptions({
    queryKey: ['listWebhookStatistics', webhookId],
    queryFn: async ({ signal }): Promise<WebhookStatistics | null> =>
      (await signet.listWebhookStatistics({ query: { webhook_id: webhookId }, signal })).result[0] ?? null,
    refetchInterval: refreshMs,
  })
