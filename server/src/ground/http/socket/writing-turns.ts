import { createFairQueue } from '../../runtime/fair-queue.ts'

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
  const queue = createFairQueue<Waiting>()

  /** Returns the bytes that were written. */
  const serveOne = (organizationId: string): number => {
    let written = 0
    while (written < bytesPerTurn.ofOrganization) {
      const next = queue.take(organizationId)
      if (!next) break
      written += Math.max(next.bytes, leastBytes)
      next.write()
    }
    return written
  }

  const serve = () => {
    let left = bytesPerTurn.total
    for (const organizationId of [...queue.organizations()]) {
      left -= serveOne(organizationId)
      if (left <= 0) break
    }
    if (queue.size() > 0) setImmediate(serve)
  }

  return (organizationId, bytes, write) => {
    if (queue.size() === 0) setImmediate(serve)
    queue.add(organizationId, { bytes, write })
  }
}
