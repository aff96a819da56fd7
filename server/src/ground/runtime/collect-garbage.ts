/**
 * Gives back what a start has left behind. `last-resort` also drops what V8 keeps for later: compiled code that was not used again,
 * and the free pages of the heap. Does nothing without `--expose-gc`.
 */
export const collectGarbage = () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })

/** By then a start, which must not wait for this, is over. */
const soonMs = 1_000

export const collectGarbageSoon = () => void setTimeout(collectGarbage, soonMs).unref()
