/**
 * Attempts: what it takes to call a webhook once, and how that is shown.
 *
 * Owns: the claims of the JWT (6.3), the request that carries it (6.2, rule 1), and how the delivery log shows an attempt. No
 * routes and no tables.
 * Leaves to its callers when to try again and what follows from the end; to `keys` the signing, and to `outbound` the HTTP
 * request and which responses are a success.
 */
export {
  type AnswerProblem,
  type AttemptError,
  type AttemptRecord,
  AttemptSchema,
  attemptErrors,
  type MadeAttempt,
  recordOf,
  showAttempts,
  shownAnswer,
  shownAnswerBytes,
} from './attempt-record.ts'
export { describeWebhookRequest } from './describe-webhook-request.ts'
export { type AttemptInput, hasOwnTraceparent, makeToken, sentAlike, toOutboundRequest } from './request.ts'
export { SentRequestSchema } from './sent-request.ts'
