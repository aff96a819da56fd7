/**
 * The steps of a delivery, in their order. A process may die at any of them and nothing acknowledged is lost: the fault
 * suite kills it at each.
 */
export const steps = [
  /**
   * The event and its deliveries are committed; nobody was told. Passed once for what waits, which `armed` follows, and once
   * for what was claimed as it was published, which `claimed` follows.
   */
  'published',
  /** The lanes are due; no other process was told. */
  'armed',
  /** The claim is committed. */
  'claimed',
  /** Address, headers, payload and signer are read; no call is ordered. */
  'prepared',
  /** The call is under way; nobody knows how far. */
  'called',
  /** The receiver answered, or the call failed; nothing is written. */
  'answered',
  /** What became of it is committed. */
  'settled',
] as const

export type Step = (typeof steps)[number]

/** Told as each step is passed. */
export type OnStep = (step: Step) => void

export const noStep: OnStep = () => {}
