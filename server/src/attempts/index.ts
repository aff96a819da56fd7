/**
 * Attempts: a webhook called once.
 *
 * Owns: what the JWT tells (6.3), the request that carries it (6.2, rule 1), which answers count as a success (6.2,
 * rule 2), and how the delivery log shows an attempt. No routes and no tables.
 * Leaves to its callers when to try again and what follows from the end; to `keys` the signing, and to `outbound` the call.
 */
export { type Attempt, beginAttempt, type Means, type Signed } from './attempt.ts'
export {
  type AttemptRecord,
  AttemptSchema,
  isSuccess,
  recordOf,
  shownAnswer,
  shownAnswerBytes,
} from './attempt-record.ts'
export { makeToken } from './token.ts'
