/** One thread that makes calls, from its start to its end: sends it orders, and tells each one its end. */
import { Worker } from 'node:worker_threads'
import type { End, Order } from './calls.ts'
import { leaseMs } from './lease.ts'
import type { Command, Report, Setup } from './sender-thread.ts'
import { watchOldest } from './watch-oldest.ts'

/** The thread ended before the call did: nobody knows how far it came. */
export type Lost = { kind: 'lost' }

type Listener = { onBegun: () => void; onEnded: (end: End | Lost) => void }

export type NewOrder = Omit<Order, 'id'> & Listener

/** What comes and goes there is small: as much room as in the service itself takes 50 MB more, and is no faster (measured). */
const resourceLimits = { maxYoungGenerationSizeMb: 24 }
/** A thread that has not answered a recall after this long hangs and is ended: its caller does not wait for leases. */
const recallMs = 1_000
/** For the calls that a closing thread breaks off. */
const closeMs = 500

export type SenderThread = ReturnType<typeof startSenderThread>

type Told = {
  /** It makes calls. */
  onReady: () => void
  /** It has ended by itself, and what it had is lost. */
  onFailed: (error: unknown) => void
}

/** Throws when none can be started. */
export function startSenderThread(setup: Setup, { onReady, onFailed }: Told) {
  const worker = new Worker(new URL('./sender-thread.ts', import.meta.url), { workerData: setup, resourceLimits })
  /** Orders that wait, or are under way; the oldest first. */
  const unended = new Map<number, Listener & { since: number }>()
  /** Those that wait until what they asked for is done, in their order. */
  const asking: { since: number; resolve: () => void }[] = []
  let starting: { since: number } | undefined = { since: performance.now() }
  let lastId = 0
  let failure: unknown
  let isClosing = false

  const hear = ({ begun, ended, done }: Report) => {
    for (const id of begun) unended.get(id)?.onBegun()
    for (const { id, end } of ended) {
      const listener = unended.get(id)
      unended.delete(id)
      listener?.onEnded(end)
    }
    for (const { resolve } of asking.splice(0, done)) resolve()
  }

  const giveUp = (error: unknown) => {
    failure ??= error
    void worker.terminate()
  }

  const hangs = () => giveUp(new Error('the thread that calls hangs'))
  const watches = [
    watchOldest(() => starting, leaseMs, hangs),
    watchOldest(() => unended.values().next().value, leaseMs, hangs),
    watchOldest(() => asking[0], recallMs, hangs),
  ]

  const post = (command: Command) => {
    try {
      worker.postMessage(command)
    } catch (error) {
      giveUp(error)
    }
  }

  const ask = (command: Command) => {
    post(command)
    return new Promise<void>((resolve) => asking.push({ since: performance.now(), resolve }))
  }

  const onExit = () => {
    for (const stop of watches) stop()
    if (!isClosing) onFailed(failure ?? new Error('the thread that calls has ended by itself'))
    const lost = [...unended.values()]
    unended.clear()
    for (const { onEnded } of lost) onEnded({ kind: 'lost' })
    for (const { resolve } of asking.splice(0)) resolve()
  }

  worker.unref()
  worker.once('message', () => {
    starting = undefined
    onReady()
  })
  worker.on('message', hear).on('messageerror', giveUp).on('error', giveUp).on('exit', onExit)

  return {
    order(orders: NewOrder[]) {
      const since = performance.now()
      const numbered = orders.map(({ onBegun, onEnded, ...order }) => {
        unended.set(++lastId, { onBegun, onEnded, since })
        return { ...order, id: lastId }
      })
      post({ orders: numbered })
    },
    utilization: worker.performance.eventLoopUtilization,
    async recall(id: string) {
      if (unended.size > 0) await ask({ recall: id })
    },
    handBackAll: () => post('handBackAll'),
    /** Calls under way end with `stopped`. */
    async close() {
      isClosing = true
      await Promise.race([ask('close'), new Promise((resolve) => setTimeout(resolve, closeMs).unref())])
      await worker.terminate()
    },
  }
}
