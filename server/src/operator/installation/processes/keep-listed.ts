import { hostname } from 'node:os'
import type { Database } from '../../../ground/database/database.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { runEvery } from '../../../ground/runtime/interval.ts'
import { version } from '../../../ground/runtime/version.ts'
import { deleteProcess, type Process, type Role, renewProcess } from './process-store.ts'

/** One statement a minute: an idle process may make twenty of all kinds. */
const renewMs = 60_000
/** Two signs of life are missing, and half a minute has passed for what is slow. */
export const lostAfterMs = 2.5 * renewMs
/** A lost process stays listed for this long after its last sign of life. */
export const listedMs = 3_600_000

type Dependencies = {
  database: Database
  clock: Clock
  id: string
  region: string
  roles: Record<Role, boolean>
  countInFlight: () => number
  countStreams: () => number
  onError: (error: unknown) => void
}

/** Lists this process at once, and until `stop`, which takes it off the list. */
export function keepListed({ database, clock, id, region, roles, countInFlight, countStreams, onError }: Dependencies) {
  const startedAt = new Date(clock.now())
  const renew = () => {
    const now = clock.now()
    const process: Process = {
      id,
      region,
      version,
      host: hostname(),
      pid: globalThis.process.pid,
      roles: (['api', 'worker'] as const).filter((role) => roles[role]),
      started_at: startedAt,
      seen_at: new Date(now),
      deliveries_in_flight: countInFlight(),
      event_streams: countStreams(),
    }
    return renewProcess(database.write, process, new Date(now - listedMs))
  }
  const renewing = runEvery(renewMs, renew, onError, { atOnce: true })
  return {
    stop: async () => {
      await renewing.stop()
      await deleteProcess(database.write, id).catch(onError)
    },
  }
}
