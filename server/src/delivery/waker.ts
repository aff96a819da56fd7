import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Wake } from '../events/index.ts'
import { armLanes, type LaneKey } from './delivery-store.ts'
import { announceDue } from './due-channel.ts'

/** Webhooks that wait to be armed; above it the sweep does it. */
const maxWoken = 10_000
/** Between two announcements to other processes. */
const announceEveryMs = 20

type Dependencies = {
  database: Database
  clock: Clock
  callsPerWebhook: number
  /** This process's worker; without one, those of other processes are told. */
  look: (() => void) | undefined
  onError: (error: unknown) => void
}

/**
 * From a commit to a claim: arms the lanes of what was published, in batches and outside the writing transactions, and
 * then has a worker look. What is lost here, with the process or with the database, the sweep finds.
 */
export function createWaker({ database, clock, callsPerWebhook, onError, ...dependencies }: Dependencies): Wake {
  const woken = new Map<string, LaneKey>()
  const look = dependencies.look ?? createAnnouncer(database, onError)
  let isArming = false

  const armAll = async () => {
    isArming = true
    try {
      while (woken.size > 0) {
        const lanes = [...woken.values()]
        woken.clear()
        await armLanes(database.write, lanes, toTimestamp(clock.now()), callsPerWebhook)
        look()
      }
    } catch (error) {
      onError(error)
    } finally {
      isArming = false
    }
  }

  return (organizationId, webhookIds) => {
    for (const webhookId of webhookIds)
      if (woken.size < maxWoken) woken.set(`${organizationId}${webhookId}`, { organizationId, webhookId })
    if (!isArming) void armAll()
  }
}

/** At once when it has been quiet, else once more at the end of the interval. */
function createAnnouncer(database: Database, onError: (error: unknown) => void): () => void {
  let state: 'quiet' | 'announced' | 'again' = 'quiet'
  const announce = () => {
    state = 'announced'
    announceDue(database.write).catch(onError)
    setTimeout(() => {
      if (state === 'again') announce()
      else state = 'quiet'
    }, announceEveryMs)
  }
  return () => {
    if (state === 'quiet') announce()
    else state = 'again'
  }
}
