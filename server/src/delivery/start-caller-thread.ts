import { Worker } from 'node:worker_threads'
import type { Message, News, Setup } from './caller-thread.ts'
import { leaseMs } from './lease.ts'
import type { End, Order } from './ordered-calls.ts'
import type { Utilization } from './pace.ts'

/** The thread ended before the call did: nobody knows how far it came. */
export type Lost = { kind: 'lost' }

type Listener = { onBegun: () => void; onEnded: (end: End | Lost) => void }

export type NewOrder = Omit<Order, 'id'> & Listener

/** What comes and goes there is small: as much room as in the service itself takes 50 MB more, and is no faster (measured). */
const resourceLimits = { maxYoungGenerationSizeMb: 24 }
/** Between two looks at the oldest order. One that outlived its lease is seen twice: a process that was stopped hears first. */
const lookMs = 5_000
/** For the calls that a closing thread breaks off. */
const closeMs = 500

export type CallerThread = ReturnType<typeof startCallerThread>

/** Throws when none can be started. `onFailed`: it has ended by itself, and what it had is lost. */
export function startCallerThread(setup: Setup, onFailed: (error: unknown) => void) {
  const worker = new Worker(new URL('./caller-thread.ts', import.meta.url), { workerData: setup, resourceLimits })
  const unended = new Map<number, Listener & { since: number }>()
  /** Those that wait until what they asked for is done, in their order. */
  const asking: (() => void)[] = []
  let lastId = 0
  let late: number | undefined
  let failure: unknown
  let isClosing = false

  const hear = ({ begun, ended, done }: News) => {
    for (const id of begun) unended.get(id)?.onBegun()
    for (const { id, end } of ended) {
      const listener = unended.get(id)
      unended.delete(id)
      listener?.onEnded(end)
    }
    for (const resolve of asking.splice(0, done)) resolve()
  }

  const giveUp = (error: unknown) => {
    failure ??= error
    void worker.terminate()
  }

  const look = () => {
    const [oldest] = unended
    const before = late
    late = oldest && performance.now() - oldest[1].since > leaseMs ? oldest[0] : undefined
    if (late !== undefined && late === before)
      giveUp(new Error('the thread that calls did not end a call within its lease'))
  }
  const looking = setInterval(look, lookMs).unref()

  const post = (message: Message) => {
    try {
      worker.postMessage(message)
    } catch (error) {
      giveUp(error)
    }
  }

  const ready = new Promise<void>((resolve) => worker.once('message', () => resolve()))

  const ask = (message: Message) => {
    post(message)
    return new Promise<void>((resolve) => asking.push(resolve))
  }

  const onExit = () => {
    clearInterval(looking)
    if (!isClosing) onFailed(failure ?? new Error('the thread that calls has ended by itself'))
    const lost = [...unended.values()]
    unended.clear()
    for (const { onEnded } of lost) onEnded({ kind: 'lost' })
    for (const resolve of asking.splice(0)) resolve()
  }

  worker.unref()
  worker.on('message', hear).on('messageerror', giveUp).on('error', giveUp).on('exit', onExit)

  return {
    /** Resolves once it makes calls; never for one that fails before. */
    ready,
    order(orders: NewOrder[]) {
      const since = performance.now()
      const numbered = orders.map(({ onBegun, onEnded, ...order }) => {
        unended.set(++lastId, { onBegun, onEnded, since })
        return { ...order, id: lastId }
      })
      post({ orders: numbered })
    },
    /** Orders that have not ended: they wait, or are under way. */
    unended: () => unended.size,
    utilization: (...before: Parameters<Utilization>) => worker.performance.eventLoopUtilization(...before),
    recall: (id: string) => ask({ recall: id }),
    handBackAll: () => post('handBackAll'),
    /** Calls under way end with `stopped`. */
    async close() {
      isClosing = true
      await Promise.race([ask('close'), new Promise((resolve) => setTimeout(resolve, closeMs).unref())])
      await worker.terminate()
    },
  }
}
