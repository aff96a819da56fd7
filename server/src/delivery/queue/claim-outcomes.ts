import type { DispatcherKind } from './delivery.ts'

/** `session`: without it a worker claims nothing. */
type Claimer = DispatcherKind | 'session'
type Failing = { sinceMs: number; error: unknown }

/** `forMs`: how long no claim has succeeded; `error`: of the last one. */
export type FailingClaims = { forMs: number; error: unknown }

export type ClaimOutcomes = ReturnType<typeof createClaimOutcomes>

/**
 * Whether the claims of this process succeed. A dispatcher whose claims fail, and a session that was lost, go on trying, so one success
 * says that it is over.
 */
export function createClaimOutcomes(now = () => performance.now()) {
  const failing = new Map<Claimer, Failing>()
  return {
    succeeded: (claimer: Claimer): void => void failing.delete(claimer),
    failed(claimer: Claimer, error: unknown) {
      failing.set(claimer, { sinceMs: failing.get(claimer)?.sinceMs ?? now(), error })
    },
    /** Of the one that has failed longest; undefined: the last claim of each dispatcher succeeded, and there is a session. */
    failing(): FailingClaims | undefined {
      const [longest] = [...failing.values()].sort((one, other) => one.sinceMs - other.sinceMs)
      return longest && { forMs: now() - longest.sinceMs, error: longest.error }
    },
  }
}
