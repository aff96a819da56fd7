import type { DispatcherKind } from './delivery.ts'

type Failing = { sinceMs: number; error: unknown }

/** `forMs`: how long no claim has succeeded; `error`: of the last one. */
export type FailingClaims = { forMs: number; error: unknown }

export type ClaimOutcomes = ReturnType<typeof createClaimOutcomes>

/** Whether the claims of this process succeed. A dispatcher whose claims fail goes on trying, so one success says that it is over. */
export function createClaimOutcomes(now = () => performance.now()) {
  const failing = new Map<DispatcherKind, Failing>()
  return {
    succeeded: (kind: DispatcherKind): void => void failing.delete(kind),
    failed(kind: DispatcherKind, error: unknown) {
      failing.set(kind, { sinceMs: failing.get(kind)?.sinceMs ?? now(), error })
    },
    /** Of the dispatcher whose claims have failed longest; undefined: the last claim of each succeeded. */
    failing(): FailingClaims | undefined {
      const [longest] = [...failing.values()].sort((one, other) => one.sinceMs - other.sinceMs)
      return longest && { forMs: now() - longest.sinceMs, error: longest.error }
    },
  }
}
