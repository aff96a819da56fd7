import { createCounter } from '../runtime/counter.ts'

/**
 * Reads for those who follow, on connections of their own: a few at once, of each organization fewer, and the organizations in turn.
 * However many streams one organization has, the others wait for no more than one read of it.
 */
export type ReadingTurns = { total: number; perOrganization: number }

/** Waits for a turn of the organization, and gives the result of `read`. */
export type ReadInTurn = <Result>(organizationId: string, read: () => Promise<Result>) => Promise<Result>

/** Those that wait are as many as there are streams. */
export function createReadingTurns({ total, perOrganization }: ReadingTurns): ReadInTurn {
  /** In the order of their next turns. */
  const waiting = new Map<string, (() => void)[]>()
  const reading = createCounter()

  const next = () => {
    if (reading.total() >= total) return
    for (const [organizationId, begins] of waiting) {
      if (reading.of(organizationId) >= perOrganization) continue
      const begin = begins.shift()
      waiting.delete(organizationId)
      if (begins.length > 0) waiting.set(organizationId, begins)
      reading.add(organizationId)
      return begin?.()
    }
  }

  return async (organizationId, read) => {
    const turn = Promise.withResolvers<void>()
    const begins = waiting.get(organizationId) ?? []
    begins.push(turn.resolve)
    waiting.set(organizationId, begins)
    next()
    await turn.promise
    try {
      return await read()
    } finally {
      reading.remove(organizationId)
      next()
    }
  }
}
