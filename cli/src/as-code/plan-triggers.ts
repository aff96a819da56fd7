import type { Signet } from '@signet/management'
import { type Change, differingFields, type PlanOptions } from './change.ts'
import type { Fields, Present } from './section.ts'
import type { Wanted } from './things.ts'
import { createTrigger, removeTrigger, triggers, triggersOf } from './webhooks.ts'

/** Those of a webhook that exists. One whose `on_failure` differs is made anew, for triggers are not changed. */
export async function planTriggers(
  signet: Signet,
  webhook: Present,
  { fields, triggers: wanted }: Wanted,
  { prune }: PlanOptions,
): Promise<Change[]> {
  if (!wanted) return []
  const present = new Map((await triggersOf(signet, webhook)).map((trigger) => [triggers.keyOf(trigger), trigger]))
  const of = { signet, webhook: String(fields.target_url), idOf: () => webhook.id }
  const changes = wanted.flatMap((trigger) => {
    const before = present.get(triggers.keyOf(trigger.fields))
    present.delete(triggers.keyOf(trigger.fields))
    return before ? replacement(of, before, trigger) : [creation(of, trigger)]
  })
  return [...changes, ...(prune ? [...present.values()].map((trigger) => deletion(of, trigger)) : [])]
}

/** Those of a webhook that is new: `idOf` knows it once it was created. */
export const createTriggers = (signet: Signet, { fields, triggers = [] }: Wanted, idOf: () => string): Change[] =>
  triggers.map((trigger) => creation({ signet, webhook: String(fields.target_url), idOf }, trigger))

type Of = { signet: Signet; webhook: string; idOf: () => string }

function creation({ signet, webhook, idOf }: Of, { fields, hidden }: Wanted): Change {
  const shown = Object.entries(fields).filter(([field]) => field === 'on_failure')
  return {
    ...about(webhook, fields),
    action: 'create',
    fields: shown.map(([field, after]) => ({ field, after, isHidden: hidden.has(field) })),
    run: async () => {
      await createTrigger(signet, idOf(), fields)
      return undefined
    },
  }
}

function replacement({ signet, webhook, idOf }: Of, before: Fields, wanted: Wanted): Change[] {
  const fields = differingFields(before, wanted, triggers)
  if (fields.length === 0) return []
  const run = async () => {
    await removeTrigger(signet, idOf(), wanted.fields)
    await createTrigger(signet, idOf(), wanted.fields)
    return undefined
  }
  return [{ ...about(webhook, wanted.fields), action: 'change', fields, run }]
}

const deletion = ({ signet, webhook, idOf }: Of, trigger: Fields): Change => ({
  ...about(webhook, trigger),
  action: 'delete',
  fields: [],
  run: async () => {
    await removeTrigger(signet, idOf(), trigger)
    return undefined
  },
})

const about = (webhook: string, { trigger_name }: Fields) => ({
  kind: 'trigger',
  name: `${trigger_name} of ${webhook}`,
})
