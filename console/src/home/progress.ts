import { signet } from '../service/signet.ts'

export const steps = ['webhook', 'trigger', 'event', 'delivery'] as const
export type Step = (typeof steps)[number]
export type Progress = {
  done: Record<Step, boolean>
  /** The oldest webhook. */
  webhookId?: string
}

/** Among so many webhooks one with a trigger is looked for. */
const maxWebhooks = 10

/** How far an organization has come on the way to its first delivery, by what the service has. */
export async function readProgress(signal: AbortSignal): Promise<Progress> {
  if (await hasDelivered(signal)) return { done: { webhook: true, trigger: true, event: true, delivery: true } }
  const [webhooks, events] = await Promise.all([
    signet.listWebhooks({ query: { limit: maxWebhooks }, signal }),
    signet.listEvents({ query: { limit: 1 }, signal }),
  ])
  const triggers = await Promise.all(
    webhooks.result.map(({ id }) => signet.listTriggers({ path: { webhook_id: id }, query: { limit: 1 }, signal })),
  )
  return {
    done: {
      webhook: webhooks.result.length > 0,
      trigger: triggers.some(({ result }) => result.length > 0),
      event: events.result.length > 0,
      delivery: false,
    },
    webhookId: webhooks.result[0]?.id,
  }
}

/** A short page that goes on is one of an organization with many deliveries. */
async function hasDelivered(signal: AbortSignal): Promise<boolean> {
  const { result, meta } = await signet.searchDeliveries({ query: { status: 'succeeded', limit: 1 }, signal })
  return result.length > 0 || !!meta.next
}
