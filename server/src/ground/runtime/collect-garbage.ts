/**
 * Gives back what a start has left behind. `last-resort` also drops what V8 keeps for later: compiled code that was not used again,
 * and the free pages of the heap. Does nothing without `--expose-gc`.
 */
export const collectGarbage = () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
