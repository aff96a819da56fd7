/**
 * Limits that the database counts, in all processes together: how often an organization may do something (allowances), how often a
 * client address may fail to show a secret (failed attempts), and how many things an organization may have (tier limits).
 *
 * Owns: the tables test_event_allowances, dry_run_allowances and failed_attempts. No routes.
 * Leaves to each slice its numbers and what is counted, and what one process counts by itself: to `runtime/turns.ts` how much goes on at
 * once, and to `http/socket/rate-limit.ts` how often.
 */
export { takeAllowance } from './allowance-store.ts'
export { createFailedAttemptLimit, createGuessLimit } from './failed-attempt-limit.ts'
export { removeOldAttempts } from './failed-attempt-store.ts'
export { hasRoom, withinLimit } from './tier-limit.ts'
