/**
 * A thread that makes the calls, so that neither requests nor the database wait for them: gathers orders for it, tells each one its
 * end, starts it again when it has failed, and notices when it hangs.
 */
import { Worker } from 'node:worker_threads'
import { type AttemptEnd, isOf, leaseMs, type ReleaseReason } from '../delivery.ts'
import type { Utilization } from '../in-flight.ts'
import type { Order } from './requests.ts'
import type { Command, Report, Setup } from './thread.ts'

type Listener = { onBegun: () => void; onEnded: (end: AttemptEnd) => void }

export type NewRequest = Omit<Order, 'id'> & Listener

/** Between two messages; orders gather meanwhile. After a longer pause, what one turn of the event loop orders goes at its end. */
const betweenMessagesMs = 2
/** From the failure of a thread to the start of the next: what is ordered then waits for it. */
const restartMs = 1_000

type Options = Setup & { onError: (error: unknown) => void }

export type Sender = ReturnType<typeof openSender>

export function openSender({ onError, ...setup }: Options) {
  let gathered: NewRequest[] = []
  let thread: SenderThread | undefined
  let isReady = false
  let sentAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  const { promise: ready, resolve: resolveReady } = Promise.withResolvers<void>()

  const start = () => {
    if (isClosed) return
    try {
      thread = startSenderThread(setup, { onReady, onFailed })
    } catch (error) {
      onFailed(error)
    }
  }

  const onReady = () => {
    isReady = true
    resolveReady()
    send()
  }

  const onFailed = (error: unknown) => {
    thread = undefined
    isReady = false
    release('not_sent', () => true)
    setTimeout(start, restartMs)
    onError(error)
  }

  const send = () => {
    if (!isReady || gathered.length === 0) return
    thread?.order(gathered)
    gathered = []
    sentAt = performance.now()
  }

  const sendSoon = () => {
    const restMs = sentAt + betweenMessagesMs - performance.now()
    if (restMs > 0) setTimeout(send, restMs)
    else setImmediate(send)
  }

  const release = (reason: ReleaseReason, isMeant: (order: NewRequest) => boolean) => {
    const meant = gathered.filter(isMeant)
    gathered = gathered.filter((order) => !isMeant(order))
    for (const { onEnded } of meant) onEnded({ kind: 'released', reason })
  }

  return {
    /** Resolves when calls can be made. What is ordered before waits. */
    start: () => {
      start()
      return ready
    },
    /** Zeros while there is no thread. */
    utilization: (...before: Parameters<Utilization>) =>
      thread?.utilization(...before) ?? { idle: 0, active: 0, utilization: 0 },
    order(orders: NewRequest[]) {
      if (gathered.length === 0) sendSoon()
      gathered.push(...orders)
      if (isClosed) release('stopping', () => true)
    },
    /**
     * Releases what is not begun of that webhook or organization. Resolves when that was told: after some ten seconds at
     * most, of a thread that hangs. While it is closed there is nothing to revoke.
     */
    async revoke(id: string) {
      release('revoked', ({ terms }) => isOf(terms, id))
      if (!isClosed) await thread?.revoke(id)
    },
    /** Releases all that is not begun. */
    releaseAll() {
      release('stopping', () => true)
      thread?.releaseAll()
    },
    /** Breaks off what is under way. What is ordered later is released. */
    async close() {
      isClosed = true
      release('stopping', () => true)
      await thread?.close()
    },
  }
}

/** What comes and goes there is small: as much room as in the service itself takes 50 MB more, and is no faster (measured). */
const resourceLimits = { maxYoungGenerationSizeMb: 24 }
/** A thread that has not answered a revocation after this long hangs and is ended: its caller does not wait for leases. */
const revokeMs = 1_000
/** For the calls that a closing thread breaks off. */
const closeMs = 500

type SenderThread = ReturnType<typeof startSenderThread>

type Told = {
  /** It makes calls. */
  onReady: () => void
  /** It has ended by itself, and what it had is lost. */
  onFailed: (error: unknown) => void
}

/** One thread, from its start to its end. Throws when none can be started. */
function startSenderThread(setup: Setup, { onReady, onFailed }: Told) {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: setup, resourceLimits })
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
    watchOldest(() => asking[0], revokeMs, hangs),
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
    for (const { onEnded } of lost) onEnded({ kind: 'released', reason: 'sender_failed' })
    for (const { resolve } of asking.splice(0)) resolve()
  }

  worker.unref()
  worker.once('message', () => {
    starting = undefined
    onReady()
  })
  worker.on('message', hear).on('messageerror', giveUp).on('error', giveUp).on('exit', onExit)

  return {
    order(orders: NewRequest[]) {
      const since = performance.now()
      const numbered = orders.map(({ onBegun, onEnded, ...order }) => {
        unended.set(++lastId, { onBegun, onEnded, since })
        return { ...order, id: lastId }
      })
      post({ orders: numbered })
    },
    utilization: worker.performance.eventLoopUtilization,
    async revoke(id: string) {
      if (unended.size > 0) await ask({ revoke: id })
    },
    releaseAll: () => post('releaseAll'),
    /** Calls under way end with `stopped`. */
    async close() {
      isClosing = true
      await Promise.race([ask('close'), new Promise((resolve) => setTimeout(resolve, closeMs).unref())])
      await worker.terminate()
    },
  }
}

/** Late twice in a row, for what ended while the whole process was stopped is heard between two looks. */
const lookMs = 5_000

/**
 * Tells when the oldest is still there `withinMs` after its beginning: nobody will hear of its end any more. `since` is of the
 * process's own time, in milliseconds. Gives how to stop watching.
 */
export function watchOldest(
  oldest: () => { since: number } | undefined,
  withinMs: number,
  onLate: () => void,
): () => void {
  let lateBefore: object | undefined
  const look = () => {
    const found = oldest()
    const late = found && performance.now() - found.since > withinMs ? found : undefined
    if (late && late === lateBefore) onLate()
    lateBefore = late
  }
  const looking = setInterval(look, lookMs).unref()
  return () => clearInterval(looking)
}
