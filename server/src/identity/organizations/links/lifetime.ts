import { Type } from 'typebox'
import { badRequest } from '../../../ground/errors.ts'
import { orAbsent, rule } from '../../../ground/http/chain/schemas.ts'
import { hourMs } from '../../../ground/runtime/clock.ts'
import { parseDuration } from '../../../ground/runtime/duration.ts'

const lifetime = { leastMs: 60_000, standard: '72h', mostMs: 168 * hourMs }
const lifetimeRule = 'must be a duration from 1m to 168h, such as 72h'

export const linkLifetime = Type.Optional(
  orAbsent(
    Type.String({
      ...rule(lifetimeRule),
      description: 'How long the link can be used, from `1m` to `168h` (a week). Default: `72h`.',
      examples: ['72h'],
    }),
  ),
)

/** Milliseconds. Throws a 400. */
export function readLinkLifetime(text: string | null | undefined): number {
  const ms = parseDuration(text ?? lifetime.standard)
  if (ms === undefined || ms < lifetime.leastMs || ms > lifetime.mostMs)
    throw badRequest('invalid_value', `expires_in: ${lifetimeRule}`)
  return ms
}
