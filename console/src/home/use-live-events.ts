import { type AnyEvent, SignetError } from '@signet/management'
import { useEffect, useState } from 'react'
import { hasSession } from '../service/page-session.ts'
import { followEvents } from '../service/signet.ts'

export const maxKept = 100
/** However fast events come, the page changes no more often than this. */
const showMs = 250

export type Connection = 'opening' | 'open' | 'lost'

/** What is published from now on, the newest first. While it does not run, nothing is kept open. */
export function useLiveEvents(eventName: string | undefined, isRunning: boolean) {
  const [events, setEvents] = useState<readonly AnyEvent[]>([])
  const [connection, setConnection] = useState<Connection>('opening')
  const [error, setError] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    if (!isRunning) return undefined
    setError(undefined)
    setConnection('opening')
    return follow(eventName, {
      onEvents: (fresh) => setEvents((shown) => [...fresh, ...shown].slice(0, maxKept)),
      onConnection: (isOpen) => setConnection(isOpen ? 'open' : 'lost'),
      onEnd: async (reason) => {
        if (isOverWithSession(reason) && (await hasSession().catch(() => false))) setAttempt((before) => before + 1)
        else setError(reason)
      },
    })
  }, [eventName, isRunning, attempt])
  return { events, connection, error, retry: () => setAttempt(attempt + 1) }
}

/** A stream that goes on ends with its session, also where the browser has a new one of the same key. */
const isOverWithSession = (error: unknown) => error instanceof SignetError && error.status === 401 && !error.isForeign

type Listener = {
  onEvents: (newestFirst: AnyEvent[]) => void
  onConnection: (isOpen: boolean) => void
  onEnd: (error: unknown) => void
}

/** Follows from now on, until the function is called that it gives. */
function follow(eventName: string | undefined, { onEvents, onConnection, onEnd }: Listener): () => void {
  const stop = new AbortController()
  const { signal } = stop
  let fresh: AnyEvent[] = []
  const timer = setInterval(() => {
    if (fresh.length > 0) onEvents(fresh)
    fresh = []
  }, showMs)
  const options = {
    since: new Date().toISOString(),
    signal,
    ...(eventName && { eventNames: [eventName as `${string}*`] }),
  }
  async function run() {
    for await (const { event } of followEvents(options, (isOpen) => !signal.aborted && onConnection(isOpen)))
      fresh = [event, ...fresh].slice(0, maxKept)
  }
  run().catch((error) => {
    if (signal.aborted) return
    onEnd(error)
  })
  return () => {
    stop.abort()
    clearInterval(timer)
  }
}
