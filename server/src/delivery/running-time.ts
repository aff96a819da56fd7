/** A busy thread ticks so late at times; what is longer is a stall. */
const lateMs = 50

/**
 * Time as a thread lives it, in milliseconds. Of a stall (its process is stopped, its machine paused or busy with others) no
 * more than `everyMs` and a little count: nobody became slow meanwhile. Somebody ticks it every `everyMs`.
 */
export function createRunningTime(everyMs: number) {
  let ticked = { ran: 0, at: performance.now() }
  const now = () => ticked.ran + Math.min(performance.now() - ticked.at, everyMs + lateMs)
  return {
    now,
    tick() {
      ticked = { ran: now(), at: performance.now() }
    },
  }
}
