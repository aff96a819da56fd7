import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { noOpenLink } from '../errors.ts'
import { createFailedAttemptLimit } from '../failed-attempts/index.ts'
import type { Caller } from '../http/operation.ts'
import type { Clock } from '../runtime/clock.ts'
import { readOrganizationToken } from '../runtime/organization-token.ts'

const limit = { kind: 'credential_link', most: 20, periodMs: 3_600_000 }

/** Any text: one that cannot be a token is refused as one that is unknown. */
export const Token = Type.String({
  description: 'What follows the number sign of the `url` of the link.',
  examples: ['0'.repeat(96)],
})

type Read = NonNullable<ReturnType<typeof readOrganizationToken>>

/** Attempts to use a token, with what it may stand for. Throws a 404 or 429. */
export function createTokenAttempts(dependencies: { database: Database; clock: Clock }) {
  const limited = createFailedAttemptLimit(dependencies, limit)
  return <Result>(token: string, { clientAddress }: Caller, attempt: (read: Read) => Promise<Result>) =>
    limited(clientAddress, async () => {
      const read = readOrganizationToken(token)
      if (!read) throw noOpenLink()
      return attempt(read)
    })
}
