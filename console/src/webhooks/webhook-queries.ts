import type { Webhook } from '@signet/management'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: ['getWebhook', webhookId],
    queryFn: async ({ signal }) => (await signet.getWebhook({ path: { webhook_id: webhookId }, signal })).result,
  })

export const triggersQuery = (webhookId: string) =>
  queryOptions({
    queryKey: ['listTriggers', webhookId],
    queryFn: async ({ signal }) => {
      const query = { limit: maxListed }
      return (await signet.listTriggers({ path: { webhook_id: webhookId }, query, signal })).result
    },
  })

/** A page of the interface has at most so many. */
const maxListed = 1_000

/** The names of the webhooks by their ids; of a key that may not read webhooks, none. */
export function useWebhookNames(): ReadonlyMap<string, string> {
  const { data = noNames } = useQuery({
    queryKey: ['listWebhooks', 'names'],
    queryFn: async ({ signal }) => (await signet.listWebhooks({ query: { limit: maxListed }, signal })).result,
    select: namesById,
    enabled: useMay('webhooks:read'),
    staleTime: 30_000,
  })
  return data
}

const noNames: ReadonlyMap<string, string> = new Map()
/** Each row of a table may ask for them: made once for each answer. */
const namesById = (webhooks: readonly Webhook[]) => new Map(webhooks.map(({ id, name }) => [id, name]))

/** How many of its deliveries are held, or wait: at least `count` where `isMore`. */
export const waitingQuery = (webhookId: string, status: 'held' | 'pending') =>
  queryOptions({
    queryKey: ['searchDeliveries', 'count', webhookId, status],
    queryFn: async ({ signal }) => {
      const query = { webhook_id: webhookId, status, limit: maxListed }
      const { result, meta } = await signet.searchDeliveries({ query, signal })
      return { count: result.length, isMore: meta.next !== undefined }
    },
  })

export const countsQuery = (webhookId: string, days: number) =>
  queryOptions({
    queryKey: ['countDeliveries', webhookId, days],
    queryFn: async ({ signal }) =>
      (await signet.countDeliveries({ path: { webhook_id: webhookId }, query: { days }, signal })).result,
    staleTime: 30_000,
  })
