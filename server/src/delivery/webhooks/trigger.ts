import { Type } from 'typebox'
import { badRequest } from '../../ground/errors.ts'
import type { Rest } from '../../ground/http/chain/operation.ts'
import { closed, named } from '../../ground/http/chain/schemas.ts'
import { eventNames } from '../events/index.ts'

export type TriggerType = 'event' | 'sync_hook'
/** What happens to the sign-in when the last attempt of its synchronous hook fails (6.2, rule 5). */
export type OnFailure = 'fail' | 'continue'
export type Trigger = { type: TriggerType; name: string; onFailure: OnFailure }

const namesOf: Record<TriggerType, readonly string[]> = { event: eventNames, sync_hook: ['token_minted'] }

/** All that a trigger may have, whatever its type. */
const triggerNames: readonly string[] = Object.values(namesOf).flat()

const OnFailure = Type.Enum(['fail', 'continue'], {
  description:
    'Whether the sign-in fails when the last attempt of the synchronous hook fails: `fail` (the default) or `continue`. For ' +
    'synchronous hooks only.',
})

/** `events` is another name for `event` (2.5). */
export const triggerFields = {
  trigger_type: Type.Enum(['event', 'sync_hook', 'events'], {
    description: '`event` (or `events`, which is the same and reads back as `event`) or `sync_hook`.',
  }),
  trigger_name: Type.Enum([...triggerNames], {
    description: 'For `event`, the versioned name of an event; for `sync_hook`, `token_minted`.',
  }),
}

const example = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }

type TriggerInput = { trigger_type: TriggerType | 'events'; trigger_name: string; on_failure?: OnFailure }

export const NewTrigger = named(
  'NewTrigger',
  closed({ ...triggerFields, on_failure: Type.Optional(OnFailure) }, { examples: [example] }),
)

/** Throws as `checkTrigger` does. */
export function readTrigger(input: TriggerInput): Trigger {
  checkTrigger(input)
  return { type: typeOf(input), name: input.trigger_name, onFailure: input.on_failure ?? 'fail' }
}

const typeOf = ({ trigger_type }: Pick<TriggerInput, 'trigger_type'>) =>
  trigger_type === 'events' ? 'event' : trigger_type

/** Throws a 400 when the name or `on_failure` does not fit the type. */
export function checkTrigger({ trigger_type, trigger_name, on_failure }: Rest<TriggerInput>) {
  if (trigger_type === undefined) return
  const type = typeOf({ trigger_type })
  const problems: string[] = []
  if (trigger_name !== undefined && !namesOf[type].includes(trigger_name))
    problems.push(`trigger_name: must be one of ${namesOf[type].join(', ')} for the trigger_type ${type}`)
  if (type === 'event' && on_failure) problems.push('on_failure: is for the trigger_type sync_hook only')
  if (problems.length > 0) throw badRequest('invalid_value', ...problems)
}

export const TriggerRecord = named(
  'Trigger',
  Type.Object(
    {
      trigger_type: Type.Enum(Object.keys(namesOf), {
        description: '`event`: called after something happened; `sync_hook`: called while it happens.',
      }),
      trigger_name: triggerFields.trigger_name,
      on_failure: Type.Optional(OnFailure),
    },
    { description: 'What a webhook is called for.', examples: [example] },
  ),
)

export const toTriggerRecord = ({ type, name, onFailure }: Trigger) => ({
  trigger_type: type,
  trigger_name: name,
  ...(type === 'sync_hook' ? { on_failure: onFailure } : {}),
})
