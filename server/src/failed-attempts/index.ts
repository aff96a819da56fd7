/**
 * Failed attempts: how often a client address may fail to show a secret, in all processes together.
 *
 * Owns: the table failed_attempts. No routes.
 * Leaves to each slice how many attempts in which time, and what a failure is; to `http` the rate of calls in one process.
 */
export { removeOldAttempts } from './failed-attempt-store.ts'
export { createFailedAttemptLimit, createGuessLimit } from './limit.ts'
