/** How a delivery ends. */
export const finalStatuses = ['succeeded', 'dropped', 'cancelled'] as const
export type FinalStatus = (typeof finalStatuses)[number]

/** Why it did not succeed. */
export const reasons = [
  // Dropped.
  'retry_window_over',
  'expired',
  // Cancelled.
  'trigger_deleted',
  'webhook_deleted',
  // A hook run, dropped: written by `hooks`.
  'attempts_failed',
  'unusable_answer',
  'no_slot',
  'unreadable_headers',
  'no_signing_key',
] as const
export type Reason = (typeof reasons)[number]
