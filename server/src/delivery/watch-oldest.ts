/** Late twice in a row, for what ended while the whole process was stopped is heard between two looks. */
const lookMs = 5_000

/**
 * Tells when the oldest is still there `withinMs` after its beginning: nobody will hear of its end any more. `since` is of the
 * process's own time, in milliseconds. Gives how to stop watching.
 */
export function watchOldest(
  oldest: () => { since: number } | undefined,
  withinMs: number,
  onLate: () => void,
): () => void {
  let lateBefore: object | undefined
  const look = () => {
    const found = oldest()
    const late = found && performance.now() - found.since > withinMs ? found : undefined
    if (late && late === lateBefore) onLate()
    lateBefore = late
  }
  const looking = setInterval(look, lookMs).unref()
  return () => clearInterval(looking)
}
