/**
 * Allowances: how often an organization may do something, in all processes together.
 *
 * Owns: the tables test_event_allowances and dry_run_allowances. No routes.
 * Leaves to each slice the rate, and what is counted; to `failed-attempts` the limits of a client address, to `http` those of
 * calls in one process.
 */
export { takeAllowance } from './allowance-store.ts'
