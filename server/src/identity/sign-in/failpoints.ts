/**
 * The points of a sign-in at which tests kill the process, in their order. Wherever it dies, a sign-in that has begun gets
 * exactly one final event, from the next callback at another node or from `end-stalled-flows.ts`.
 */
export const failpoints = [
  /** The flow is stored; the browser is not yet sent to the provider. */
  'stored',
  /** The callback has consumed the flow; the provider is not yet asked. */
  'consumed',
  /** The provider has identified the person. */
  'identified',
  /** The hooks have run; nothing of the outcome is written. */
  'hooked',
  /** The final event is committed; the browser is not yet redirected. */
  'ended',
] as const

export type Failpoint = (typeof failpoints)[number]

export type OnFailpoint = (failpoint: Failpoint) => void
