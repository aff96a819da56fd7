import type pg from 'pg'
import { type Queries, queriesOn } from './ask.ts'
import type { Primary } from './primary.ts'

export type Probe = {
  /** Opens a connection in place of the one that is kept, which otherwise stays. Throws the reason where there is none. */
  renew(): Promise<void>
  /** The one that is kept, unless it was lost, or belongs to a former primary. */
  kept(): Queries | undefined
  close(): Promise<void>
}

/** One connection that is kept to look at the database with, and serves nobody. */
export function createProbe(primary: Primary, statementTimeoutMs: number, answerMs: number): Probe {
  let client: pg.Client | undefined
  let isClosed = false

  const keep = (next: pg.Client | undefined) => {
    const former = client
    client = next
    return former?.end().catch(() => {})
  }

  primary.onSwitch(() => {
    if (client && primary.isOutdated(client)) void keep(undefined)
  })

  return {
    renew: async () => {
      const settings = { planning: 'probe', statementTimeoutMs } as const
      const next = await primary.connect({ settings, keepAlive: true, query_timeout: answerMs })
      if (isClosed) return next.end()
      const lose = () => client === next && void keep(undefined)
      next.on('error', lose).on('end', lose)
      void keep(next)
    },
    kept: () => (client && !primary.isOutdated(client) ? queriesOn(client) : undefined),
    close: async () => {
      isClosed = true
      await keep(undefined)
    },
  }
}
