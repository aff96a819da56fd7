/**
 * Repeating a call: what the first call with an `Idempotency-Key` was answered, and giving the same answer again.
 *
 * Owns: the table idempotency_keys; how long an answer is kept, how many an organization has, and which are encrypted. No routes.
 * `http` hands every call with such a key to `answerOnce`, which runs the operation in one transaction with what is kept.
 * Leaves to `http` which operations take the header, and to each of them whether its answer has a secret or handles. An answer that
 * has goes with the thing that it names by a trigger of the database, so that no deletion can forget it.
 */
export { createAnswerOnce } from './answer-once.ts'
export { organizationsWithAnswersBefore, removeAnswers } from './idempotency-store.ts'
export { answerKeptMs, createAnswerSweep } from './sweep.ts'
