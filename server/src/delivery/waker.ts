import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Wake } from '../events/index.ts'
import { announceDue } from './channels.ts'
import { armLanes, type LaneKey } from './lane-store.ts'
import type { OnStep } from './steps.ts'
import type { Worker } from './worker.ts'

/** Webhooks that wait to be armed; above it the sweep does it. */
const maxWoken = 10_000
/** Between two announcements to the other processes: a notification's lock holds up commits. */
const announceEveryMs = 20

type Dependencies = {
  database: Database
  clock: Clock
  owner: string
  /** This process's worker, if it has one. */
  worker: Worker | undefined
  /** No other process has to be told. */
  isAlone: boolean
  onStep: OnStep
  onError: (error: unknown) => void
}

/**
 * From a commit to a claim: arms the lanes of what was published, in batches and outside the writing transactions, has
 * this process's worker look, and tells the other processes where that is not enough. What is lost here, with the
 * process or with the database, the sweep finds.
 */
export function createWaker({ database, clock, owner, worker, isAlone, onStep, onError }: Dependencies): Wake {
  const woken = new Map<string, LaneKey>()
  const announce = isAlone ? () => {} : createAnnouncer(database, onError)
  let isArming = false

  const armAll = async () => {
    isArming = true
    try {
      while (woken.size > 0) {
        const lanes = [...woken.values()]
        woken.clear()
        const isForeign = await armLanes(database.write, lanes, toTimestamp(clock.now()), owner)
        onStep('armed')
        worker?.look()
        if (isForeign || !worker || worker.isBusy()) announce()
      }
    } catch (error) {
      onError(error)
    } finally {
      isArming = false
    }
  }

  return (organizationId, webhookIds) => {
    onStep('published')
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
