/** Makes calls in a thread of its own, so that requests do not wait for them: gathers orders for it, and starts it. */
import type { Setup } from './caller-thread.ts'
import type { Utilization } from './pace.ts'
import { type CallerThread, type NewOrder, startCallerThread } from './start-caller-thread.ts'

/** From one message to the next: orders are gathered meanwhile. After a longer rest what is ordered in one turn is sent at its end. */
const gatherMs = 2
/** From the failure of a thread to the start of the next: what is ordered waits. */
const restartMs = 1_000

type Options = Setup & { onError: (error: unknown) => void }

export type Caller = ReturnType<typeof openCaller>

export function openCaller({ onError, ...setup }: Options) {
  let gathered: NewOrder[] = []
  let thread: CallerThread | undefined
  let sentAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  const { promise: ready, resolve: onReady } = Promise.withResolvers<void>()

  const start = () => {
    if (isClosed) return
    try {
      thread = startCallerThread(setup, onFailed)
      void thread.ready.then(onReady)
    } catch (error) {
      onFailed(error)
    }
    send()
  }

  const onFailed = (error: unknown) => {
    thread = undefined
    setTimeout(start, restartMs)
    onError(error)
  }

  const send = () => {
    if (!thread || gathered.length === 0) return
    thread.order(gathered)
    gathered = []
    sentAt = performance.now()
  }

  const sendSoon = () => {
    const restMs = sentAt + gatherMs - performance.now()
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
    /** None without a thread. */
    utilization: (...before: Parameters<Utilization>) =>
      thread?.utilization(...before) ?? { idle: 0, active: 0, utilization: 0 },
    call(orders: NewOrder[]) {
      if (gathered.length === 0) sendSoon()
      gathered.push(...orders)
      if (isClosed) handBack(() => true)
    },
    /** Hands back what is not begun of that webhook or organization. Resolves when that was told. */
    async recall(id: string) {
      handBack(({ terms }) => terms.webhookId === id || terms.organizationId === id)
      if (thread && thread.unended() > 0) await thread.recall(id)
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
