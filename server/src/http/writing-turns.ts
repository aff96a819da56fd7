/** Bytes that are written to all streams before the event loop goes on, and to those of one organization. */
const bytesPerTurn = { total: 262_144, ofOrganization: 65_536 }
/** A write counts as so many bytes at least: one of 300 bytes takes as long as one of 4 KiB (some 20 µs, measured). */
const leastBytes = 4_096

/** Calls `write` when it is the turn of its organization. */
export type WriteInTurn = (organizationId: string, bytes: number, write: () => void) => void

type Waiting = { bytes: number; write: () => void }

/**
 * Organizations take turns by bytes, with the other work of the process in between: however many streams one has, the others wait
 * for no more than one turn. Each stream waits with one write at most.
 */
export function createWritingTurns(): WriteInTurn {
  /** In the order of their next turns. */
  const waiting = new Map<string, Waiting[]>()

  /** Returns the bytes that were written. */
  const serveOne = (organizationId: string, writes: Waiting[]): number => {
    let at = 0
    let bytes = 0
    for (; at < writes.length && bytes < bytesPerTurn.ofOrganization; at++) {
      const next = writes[at] as Waiting
      bytes += Math.max(next.bytes, leastBytes)
      next.write()
    }
    waiting.delete(organizationId)
    if (at < writes.length) waiting.set(organizationId, writes.slice(at))
    return bytes
  }

  const serve = () => {
    let left = bytesPerTurn.total
    for (const [organizationId, writes] of [...waiting]) {
      left -= serveOne(organizationId, writes)
      if (left <= 0) break
    }
    if (waiting.size > 0) setImmediate(serve)
  }

  return (organizationId, bytes, write) => {
    if (waiting.size === 0) setImmediate(serve)
    const writes = waiting.get(organizationId) ?? []
    writes.push({ bytes, write })
    waiting.set(organizationId, writes)
  }
}
