/** How a delivery ends. */
export const finalStatuses = ['succeeded', 'dropped', 'cancelled'] as const
export type FinalStatus = (typeof finalStatuses)[number]

/** Why it was dropped (the first two) or cancelled. */
export const reasons = ['retry_window_over', 'expired', 'trigger_deleted', 'webhook_deleted'] as const
export type Reason = (typeof reasons)[number]
