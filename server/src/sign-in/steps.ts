/**
 * The steps of a sign-in, in their order. A process may die at any of them: what has begun has exactly one final event
 * all the same, from the next callback of another node or from the sweeper.
 */
export const steps = [
  /** The flow is kept; the browser was not yet sent to the provider. */
  'kept',
  /** The callback used up the flow; the provider was not yet asked. */
  'used',
  /** The provider said who it is. */
  'identified',
  /** The hooks were called; nothing of the outcome is written. */
  'hooked',
  /** The final event is committed; the browser was not yet sent on. */
  'ended',
] as const

export type Step = (typeof steps)[number]

/** Told as each step is passed. */
export type OnFailpoint = (step: Step) => void
