/** Makes calls in a thread of its own, so that requests do not wait for them: gathers orders for it, and starts it. */
import { isOf } from './lane-key.ts'
import type { Utilization } from './pace.ts'
import type { Setup } from './sender-thread.ts'
import { type NewOrder, type SenderThread, startSenderThread } from './start-sender-thread.ts'

/** Between two messages; orders gather meanwhile. After a longer pause, what one turn of the event loop orders goes at its end. */
const betweenMessagesMs = 2
/** From the failure of a thread to the start of the next: what is ordered then waits for it. */
const restartMs = 1_000

type Options = Setup & { onError: (error: unknown) => void }

export type Sender = ReturnType<typeof openSender>

export function openSender({ onError, ...setup }: Options) {
  let gathered: NewOrder[] = []
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
    handBack(() => true)
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

  const handBack = (isMeant: (order: NewOrder) => boolean) => {
    const meant = gathered.filter(isMeant)
    gathered = gathered.filter((order) => !isMeant(order))
    for (const { onEnded } of meant) onEnded({ kind: 'handed_back' })
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
    order(orders: NewOrder[]) {
      if (gathered.length === 0) sendSoon()
      gathered.push(...orders)
      if (isClosed) handBack(() => true)
    },
    /**
     * Hands back what is not begun of that webhook or organization. Resolves when that was told: after some ten seconds at
     * most, of a thread that hangs. While it is closed there is nothing to recall.
     */
    async recall(id: string) {
      handBack(({ terms }) => isOf(terms, id))
      if (!isClosed) await thread?.recall(id)
    },
    /** Hands back all that is not begun. */
    handBackAll() {
      handBack(() => true)
      thread?.handBackAll()
    },
    /** Breaks off what is under way. What is ordered later is handed back. */
    async close() {
      isClosed = true
      handBack(() => true)
      await thread?.close()
    },
  }
}
