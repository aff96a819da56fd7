import { SignetError } from '@signet/management'
import type { Change } from './change.ts'
import { inParallel } from './in-parallel.ts'
import type { Desired } from './resources.ts'

/**
 * No operation has this field. The service refuses a body with an unknown field, changes nothing then, and names all else that is wrong
 * with it: so that its own rules, of whichever version it is, hold before the first change.
 */
const unknownField = 'checked_by_signet_apply'

/** Refuses every field of the file that the service would refuse, at once. */
export const checkWithService = (changes: Change[]) => inParallel(changes, checkChange)

async function checkChange({ check }: Change) {
  if (!check) return
  const refusal = await check.send({ [unknownField]: true }).then(
    () => new Error(`the service takes the unknown field ${unknownField}`),
    (error: unknown) => error,
  )
  if (!(refusal instanceof SignetError) || refusal.isTemporary || refusal.status === undefined) throw refusal
  // Anything else, a lacking scope or a full tier, is for the step itself to say.
  if (refusal.status === 400) for (const { message } of refusal.errors) refuseField(check.refuse, message)
}

function refuseField(refuse: Desired['refuse'], message: string) {
  const [, field, member, rule = message] = /^((\w+)[^:]*): (.*)$/s.exec(message) ?? []
  if (field === unknownField) return
  refuse(member, field === member ? rule : `${field}: ${rule}`)
}
