import { Type } from 'typebox'
import type { Database, Queries } from '../../../ground/database/database.ts'
import type { ApiError } from '../../../ground/errors.ts'
import { createGuessLimit } from '../../../ground/limits/index.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { readOrganizationToken } from '../../../ground/runtime/organization-token.ts'
import { refuseIfMoving } from '../move-mark-store.ts'

const limit = { most: 20, periodMs: 3_600_000 }

/** Any text: one that cannot be a token is refused as one that is unknown. */
export const LinkToken = Type.String({
  description: 'What follows the number sign of the `url` of the link.',
  examples: ['0'.repeat(96)],
})

type Read = NonNullable<ReturnType<typeof readOrganizationToken>>

/** One kind of links. */
type Links = {
  /** What the attempts are counted as. */
  kind: string
  /** Whether there is or was a link with this token, open or not. */
  exists: (queries: Queries, organizationId: string, hash: Buffer) => Promise<boolean>
  /** The same for every reason. */
  notOpen: () => ApiError
}

type Dependencies = { database: Database; clock: Clock }

/**
 * Attempts to use a token, with what it may stand for. Throws a 404 or 429. Only a token that no link ever had is a guess and counts:
 * one that is right, though its link was used or deleted or has expired, counts as nothing, whatever becomes of the attempt.
 */
export function createTokenAttempts({ database, clock }: Dependencies, { kind, exists, notOpen }: Links) {
  const guesses = createGuessLimit({ database, clock }, { kind, ...limit })
  return async <Result>(token: string, clientAddress: string, attempt: (read: Read) => Promise<Result>) => {
    const read = readOrganizationToken(token)
    if (read && (await exists(database.read, read.organizationId, read.hash))) {
      await guesses.check(clientAddress)
      return attempt(read)
    }
    await guesses.count(clientAddress)
    if (read) await refuseIfMoving(database.read, read.organizationId)
    throw notOpen()
  }
}
