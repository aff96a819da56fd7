/** All in milliseconds (6.2, rule 4: 1, 10 and 30 minutes). */
export type RetrySettings = { initialMs: number; maxMs: number; windowMs: number }

/** A failed attempt: how many were made in this window, when the window opened and when this one began. */
export type FailedAttempt = { tries: number; windowOpenedAt: number; startedAt: number }

/**
 * When to try again: the backoff doubles with each try up to its maximum and is counted from the beginning of the
 * failed attempt, so with the standard settings attempts begin at 0, 1, 3, 7, 15 and 25 minutes whatever each one took.
 * What would begin after the window is dropped.
 */
export function nextAttempt(
  { tries, windowOpenedAt, startedAt }: FailedAttempt,
  settings: RetrySettings,
): number | 'drop' {
  const backoff = Math.min(settings.initialMs * 2 ** (tries - 1), settings.maxMs)
  const at = startedAt + backoff
  return at <= windowOpenedAt + settings.windowMs ? at : 'drop'
}
