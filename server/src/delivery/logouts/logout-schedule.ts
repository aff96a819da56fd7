const secondMs = 1_000
const minuteMs = 60_000

/** When the attempts begin, from the first one on. A sign-out that is told an hour later helps nobody. */
const attemptsAt = [0, 10 * secondMs, minuteMs, 5 * minuteMs, 15 * minuteMs, 30 * minuteMs]

type FailedAttempt = { windowAttempts: number; windowOpenedAt: number; startedAt: number }

/** The first of the times that is still to come, whatever the attempt took: those that were missed are not made up for. */
export function nextLogoutAttempt({ windowAttempts, windowOpenedAt, startedAt }: FailedAttempt): number | 'drop' {
  const next = attemptsAt.slice(windowAttempts).find((ms) => windowOpenedAt + ms > startedAt)
  return next === undefined ? 'drop' : windowOpenedAt + next
}
