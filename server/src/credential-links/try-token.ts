import { Type } from 'typebox'
import type { Queries } from '../database/database.ts'
import { noOpenLink, tooManyRequests } from '../errors.ts'
import type { Caller } from '../http/operation.ts'
import { callerAt } from '../http/rate-limit.ts'
import { type Clock, toTimestamp } from '../runtime/clock.ts'
import { readToken } from './link-token.ts'
import { takeTry } from './try-store.ts'

/** Any text: one that cannot be a token is refused as one that is unknown. */
export const Token = Type.String({
  description: 'What follows the number sign of the `url` of the link.',
  examples: ['0'.repeat(96)],
})

/** What a token may stand for, after a try of its caller was counted. Whoever succeeds with it returns the try. Throws a 404 or 429. */
export async function tryToken(queries: Queries, clock: Clock, token: string, { clientAddress }: Caller) {
  const now = toTimestamp(clock.now())
  const triedBy = callerAt(clientAddress)
  const retryAfterSeconds = await takeTry(queries, triedBy, now)
  if (retryAfterSeconds !== undefined) throw tooManyRequests(retryAfterSeconds)
  const read = readToken(token)
  if (!read) throw noOpenLink()
  return { ...read, now, triedBy }
}
