/**
 * A thread that signs and sends requests, so that neither the API nor the database waits for them: batches requests for it, reports
 * the end of each, starts it again when it has failed, and notices when it hangs.
 */
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Unsigned } from '../../../ground/keys/index.ts'
import { type AttemptEnd, belongsTo, type Concurrency, type ReleaseReason } from '../delivery.ts'
import type { Utilization } from '../in-flight.ts'
import { leaseMs } from '../lease.ts'
import { createSignatures } from './signatures.ts'
import type { Command, Report, SenderRequest, Setup, Signed } from './thread.ts'

type Listener = {
  onBegun: () => void
  /** It is overdue and counts no more against the limit of its receiver. */
  onSetAside: (concurrency: Concurrency) => void
  onEnded: (end: AttemptEnd) => void
}

export type NewRequest = Omit<SenderRequest, 'id'> & Listener

/** Between two messages to the thread. After a longer pause, requests go at the end of the turn of the event loop. */
const messageIntervalMs = 2
/** From the failure of a thread to the start of the next, for which new requests wait. */
const restartMs = 1_000

type Options = Setup & { onError: (error: unknown) => void }

export type Sender = ReturnType<typeof openSender>

export function openSender({ onError, ...setup }: Options) {
  let batch: NewRequest[] = []
  let thread: SenderThread | undefined
  let hasStarted = false
  let isReady = false
  let sentAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  const { promise: ready, resolve: resolveReady } = Promise.withResolvers<void>()

  const start = () => {
    if (isClosed) return
    hasStarted = true
    try {
      thread = startSenderThread(setup, { onReady, onFailed })
    } catch (error) {
      onFailed(error)
    }
  }

  const onReady = () => {
    isReady = true
    resolveReady()
    sendBatch()
  }

  const onFailed = (error: unknown) => {
    thread = undefined
    isReady = false
    release('not_sent', () => true)
    setTimeout(start, restartMs)
    onError(error)
  }

  const sendBatch = () => {
    if (!isReady || batch.length === 0) return
    thread?.send(batch)
    batch = []
    sentAt = performance.now()
  }

  const sendSoon = () => {
    const leftMs = sentAt + messageIntervalMs - performance.now()
    if (leftMs > 0) setTimeout(sendBatch, leftMs)
    else setImmediate(sendBatch)
  }

  const release = (reason: ReleaseReason, isMeant: (request: NewRequest) => boolean) => {
    const released = batch.filter(isMeant)
    batch = batch.filter((request) => !isMeant(request))
    for (const { onEnded } of released) onEnded({ kind: 'released', reason })
  }

  const startOnce = () => {
    if (!hasStarted) start()
    return ready
  }

  const signTogether = async (unsigned: Unsigned[]) => {
    await startOnce()
    return isReady && !isClosed ? thread?.sign(unsigned) : undefined
  }

  return {
    /** Resolves when requests can be sent. Earlier ones wait. */
    start: startOnce,
    /** The JWT, from the thread, which starts where it had nothing to do yet. Throws a 503 where that fails. */
    sign: createSignatures(signTogether),
    /** Zeros while there is no thread. */
    utilization: (...before: Parameters<Utilization>) =>
      thread?.utilization(...before) ?? { idle: 0, active: 0, utilization: 0 },
    send(requests: NewRequest[]) {
      if (batch.length === 0) sendSoon()
      batch.push(...requests)
      if (isClosed) release('stopping', () => true)
    },
    /**
     * Releases what is not begun of that webhook or organization. Resolves when all of it is reported: after some ten seconds at
     * most, of a thread that hangs. While it closes there is nothing to revoke.
     */
    async revoke(id: string) {
      release('revoked', ({ template }) => belongsTo(template, id))
      if (!isClosed) await thread?.revoke(id)
    },
    /** Releases all that is not begun. */
    releaseAll() {
      release('stopping', () => true)
      thread?.releaseAll()
    },
    /** Breaks off what is under way. Later requests are released. */
    async close() {
      isClosed = true
      release('stopping', () => true)
      await thread?.close()
    },
  }
}

/** Objects in the thread are few and short-lived. */
const resourceLimits = { maxYoungGenerationSizeMb: 24 }
/** A thread that has not carried out a revocation after so long hangs and is ended: its caller does not wait for leases. */
const revokeMs = 1_000
/** For the requests that a closing thread breaks off. */
const closeMs = 500

type SenderThread = ReturnType<typeof startSenderThread>

type ThreadListener = {
  onReady: () => void
  /** It has ended by itself, and what it had is lost. */
  onFailed: (error: unknown) => void
}

/** In the package it is compiled, as this file is. */
const threadFile = join(import.meta.dirname, `thread${extname(import.meta.filename)}`)

/** One thread, from its start to its end. Throws when none can be started. */
function startSenderThread(setup: Setup, { onReady, onFailed }: ThreadListener) {
  const worker = new Worker(threadFile, { workerData: setup, resourceLimits })
  /** Requests in the thread, the oldest first. */
  const unended = new Map<number, Listener & { since: number }>()
  let signed: Signed[] | undefined
  /** Revocations, signings and closings that are not carried out, in order. */
  const undone: { since: number; resolve: () => void }[] = []
  let starting: { since: number } | undefined = { since: performance.now() }
  let lastId = 0
  let failure: unknown
  let isClosing = false

  const onReport = ({ begun, setAside, ended, signed: itsSigned, done }: Report) => {
    signed = itsSigned ?? signed
    for (const id of begun) unended.get(id)?.onBegun()
    for (const { id, concurrency } of setAside) unended.get(id)?.onSetAside(concurrency)
    for (const { id, end } of ended) {
      const listener = unended.get(id)
      unended.delete(id)
      listener?.onEnded(end)
    }
    for (const { resolve } of undone.splice(0, done)) resolve()
  }

  const giveUp = (error: unknown) => {
    failure ??= error
    void worker.terminate()
  }

  const onHang = () => giveUp(new Error('the sender thread hangs'))
  const watches = [
    watchOldest(() => starting, leaseMs, onHang),
    watchOldest(() => unended.values().next().value, leaseMs, onHang),
    watchOldest(() => undone[0], revokeMs, onHang),
  ]

  const post = (command: Command) => {
    try {
      worker.postMessage(command)
    } catch (error) {
      giveUp(error)
    }
  }

  const postUntilDone = (command: Command) => {
    post(command)
    return new Promise<void>((resolve) => undone.push({ since: performance.now(), resolve }))
  }

  const onExit = () => {
    for (const stop of watches) stop()
    if (!isClosing) onFailed(failure ?? new Error('the sender thread has ended by itself'))
    const lost = [...unended.values()]
    unended.clear()
    for (const { onEnded } of lost) onEnded({ kind: 'released', reason: 'sender_failed' })
    for (const { resolve } of undone.splice(0)) resolve()
  }

  worker.unref()
  worker.once('message', () => {
    starting = undefined
    onReady()
  })
  worker.on('message', onReport).on('messageerror', giveUp).on('error', giveUp).on('exit', onExit)

  return {
    send(requests: NewRequest[]) {
      const since = performance.now()
      const numbered = requests.map(({ onBegun, onSetAside, onEnded, ...request }) => {
        unended.set(++lastId, { onBegun, onSetAside, onEnded, since })
        return { ...request, id: lastId }
      })
      post({ requests: numbered })
    },
    utilization: worker.performance.eventLoopUtilization,
    async revoke(id: string) {
      if (unended.size > 0) await postUntilDone({ revoke: id })
    },
    /** One call at a time. Undefined: the thread has ended before. */
    async sign(unsigned: Unsigned[]): Promise<Signed[] | undefined> {
      signed = undefined
      await postUntilDone({ sign: unsigned })
      return signed
    },
    releaseAll: () => post('releaseAll'),
    /** Requests under way end with `stopped`. */
    async close() {
      isClosing = true
      await Promise.race([postUntilDone('close'), new Promise((resolve) => setTimeout(resolve, closeMs).unref())])
      await worker.terminate()
    },
  }
}

const lookMs = 5_000

/**
 * Calls `onLate` when the oldest is still there `withinMs` after its beginning, for then its end will never be reported. It must be
 * late twice in a row: reports that arrived while the process was stopped are read between two looks. `since`: by
 * `performance.now()`. Returns what stops the watch.
 */
export function watchOldest(oldest: () => { since: number } | undefined, withinMs: number, onLate: () => void) {
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
