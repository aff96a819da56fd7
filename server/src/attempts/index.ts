/**
 * Attempts: what calling a webhook once takes, and how it is shown.
 *
 * Owns: what the JWT tells (6.3), the request that carries it (6.2, rule 1), and how the delivery log shows an attempt. No
 * routes and no tables.
 * Leaves to its callers when to try again and what follows from the end; to `keys` the signing, and to `outbound` the call
 * and which answers are a success.
 */
export {
  type AttemptRecord,
  AttemptSchema,
  recordOf,
  type ShownAttempt,
  shownAnswer,
  shownAnswerBytes,
} from './attempt-record.ts'
export { describeCall } from './describe-call.ts'
export { type AttemptInput, toCall } from './request.ts'
export { makeToken } from './token.ts'
