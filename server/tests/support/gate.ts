import { setTimeout as wait } from 'node:timers/promises'
import type { FeedWorld } from './feed.ts'

/** Below the locks of places, which begin at 2^62. */
const key = 1
const reachedWithinMs = 20_000

/** In a function in PL/pgSQL: waits here while the gate is closed. */
export const gate = `perform pg_catalog.pg_advisory_lock_shared(${key}); perform pg_catalog.pg_advisory_unlock_shared(${key});`

/** Closes the gate of a database. */
export async function closeGate({ connect }: Pick<FeedWorld, 'connect'>) {
  const keeper = await connect()
  await keeper.query(`select pg_advisory_lock(${key})`)
  const waiting = `
    select from pg_locks where locktype = 'advisory' and classid = 0 and objid = ${key} and not granted
       and database = (select oid from pg_database where datname = current_database())`
  return {
    isReached: async () => {
      const deadline = performance.now() + reachedWithinMs
      while ((await keeper.query(waiting)).rowCount === 0) {
        if (performance.now() > deadline) throw new Error('nobody has come to the gate')
        await wait(5)
      }
    },
    open: () => keeper.query(`select pg_advisory_unlock(${key})`),
  }
}
