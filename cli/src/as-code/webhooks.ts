import type { NewWebhook, Signet } from '@signet/management'
import { boolean, duration, headers, oneOf, text } from './field-types.ts'
import { readAll } from './read-all.ts'
import { type Fields, type Present, pick, type Section } from './section.ts'

const types = {
  target_url: text({ pattern: /^https:\/\/[^/?#\\]/, max: 2_048, rule: 'must start with https:// and a host' }),
  name: text({ min: 1, max: 200 }),
  description: text({ max: 1_000 }),
  custom_headers: headers,
  timeout: duration,
  enabled: boolean,
}

const eventNames = [
  'AuthenticationSucceeded_v1',
  'AuthenticationFailed_v1',
  'VirtualPageLoaded_v1',
  'PersonCreated_v1',
  'PersonDeleted_v1',
]

/** The triggers of one webhook. */
export const triggers = {
  types: {
    trigger_type: oneOf('event', 'sync_hook'),
    trigger_name: oneOf(...eventNames, 'token_minted'),
    on_failure: oneOf('fail', 'continue'),
  },
  required: ['trigger_type', 'trigger_name'],
  keyOf: ({ trigger_type, trigger_name }: Fields) => `${trigger_type} ${trigger_name}`,
  check: checkTrigger,
}

function checkTrigger({ trigger_type, trigger_name, on_failure }: Fields): [string, string][] {
  if (trigger_type === undefined || trigger_name === undefined) return []
  const isHook = trigger_name === 'token_minted'
  if (isHook !== (trigger_type === 'sync_hook'))
    return [['trigger_name', 'token_minted is the name of a sync_hook; the others are those of an event']]
  return isHook || on_failure === undefined ? [] : [['on_failure', 'is for a sync_hook only']]
}

export const webhooks: Section = {
  name: 'webhooks',
  noun: 'webhook',
  types,
  required: ['target_url', 'name'],
  title: 'target_url',
  fixed: [],
  secret: ['custom_headers'],
  // As the service compares them.
  keyOf: ({ target_url }) => (URL.canParse(String(target_url)) ? new URL(String(target_url)).href : String(target_url)),
  list: async (signet) => {
    const records = await readAll('webhooks', (place) => signet.listWebhooks({ query: place }))
    return records.map((record) => ({ id: record.id, fields: pick(record, Object.keys(types)) }))
  },
  create: createWebhook,
  change: async (signet, { id }, fields) => {
    await signet.changeWebhook({ path: { webhook_id: id }, body: fields })
    return { id }
  },
  remove: (signet, { id }) => signet.deleteWebhook({ path: { webhook_id: id } }),
}

/** One that shall be paused is so before it has triggers: nothing is sent. */
async function createWebhook(signet: Signet, { enabled, ...fields }: Fields) {
  const { result } = await signet.createWebhook({ body: fields as NewWebhook })
  const { id } = result
  if (enabled === false) await signet.changeWebhook({ path: { webhook_id: id }, body: { enabled } })
  return { id }
}

type Trigger = { trigger_type: 'event' | 'sync_hook'; trigger_name: 'token_minted' }

export const triggersOf = (signet: Signet, { id }: Present): Promise<Fields[]> =>
  readAll('triggers', (query) => signet.listTriggers({ path: { webhook_id: id }, query }))

export const createTrigger = (signet: Signet, webhookId: string, trigger: Fields) =>
  signet.createTrigger({ path: { webhook_id: webhookId }, body: trigger as Trigger })

export const removeTrigger = (signet: Signet, webhookId: string, trigger: Fields) =>
  signet.deleteTrigger({
    path: { webhook_id: webhookId },
    query: pick(trigger, ['trigger_type', 'trigger_name']) as Trigger,
  })
