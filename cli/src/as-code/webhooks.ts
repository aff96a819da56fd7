import type { NewWebhook, Signet } from '@signet/management'
import { boolean, duration, headers, text } from './field-types.ts'
import { readAll } from './read-all.ts'
import { type Actual, type Fields, type MakeVariable, type Nested, pick, type Section } from './section.ts'

const types = {
  target_url: text,
  name: text,
  description: text,
  custom_headers: headers,
  timeout: duration,
  enabled: boolean,
}

type Trigger = { trigger_type: 'event' | 'sync_hook'; trigger_name: 'token_minted' }

const triggers: Nested = {
  name: 'triggers',
  noun: 'trigger',
  title: 'trigger_name',
  types: { trigger_type: text, trigger_name: text, on_failure: text },
  required: ['trigger_type', 'trigger_name'],
  keyOf: ({ trigger_type, trigger_name }) => `${trigger_type} ${trigger_name}`,
  list: (signet, webhookId) =>
    readAll('triggers', (query) => signet.listTriggers({ path: { webhook_id: webhookId }, query })),
  create: (signet, webhookId, trigger) =>
    signet.createTrigger({ path: { webhook_id: webhookId }, body: trigger as Trigger }),
  remove: (signet, webhookId, trigger) =>
    signet.deleteTrigger({
      path: { webhook_id: webhookId },
      query: pick(trigger, ['trigger_type', 'trigger_name']) as Trigger,
    }),
}

export const webhooks: Section = {
  name: 'webhooks',
  noun: 'webhook',
  types,
  required: ['target_url', 'name'],
  title: 'target_url',
  immutable: [],
  secret: ['custom_headers'],
  // As the service compares them.
  keyOf: ({ target_url }) => (URL.canParse(String(target_url)) ? new URL(String(target_url)).href : String(target_url)),
  list: async (signet) => {
    const records = await readAll('webhooks', (place) => signet.listWebhooks({ query: place }))
    // The oldest first, as a file that is applied elsewhere makes them: of two hooks with one claim, that of the older webhook wins.
    return records
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map((record) => ({ id: record.id, fields: pick(record, Object.keys(types)) }))
  },
  nested: triggers,
  conceal: concealHeaders,
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

/** The names of headers are no secret, their values are. */
function concealHeaders(shown: Fields, { id, fields }: Actual, makeVariable: MakeVariable): Fields {
  const headers = fields.custom_headers as Record<string, string[]> | undefined
  if (!headers) throw new Error(`custom_headers of webhook ${id}: the API key may not see them; an admin key may`)
  const conceal = (header: string) => (value: string) =>
    value &&
    makeVariable(`header ${header} of the webhook ${fields.target_url}`, 'WEBHOOK', String(fields.name), header)
  const concealed = Object.entries(headers).map(([header, values]) => [header, values.map(conceal(header))])
  return { ...shown, custom_headers: Object.fromEntries(concealed) }
}
