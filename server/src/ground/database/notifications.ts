/**
 * The one session of a process by which it hears of the others, for all who listen: PostgreSQL's `NOTIFY` by channel, and what they
 * hold as long as it lasts. It is replaced when it has ended or is outdated. A notification is only a hint: one that comes while there
 * is no session is lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createBackoff } from '../runtime/backoff.ts'
import { type Queries, queriesOn } from './ask.ts'
import type { Primary, PrimaryConfig } from './primary.ts'

/** A worker that has lost its session is to register again well within five seconds. */
const reconnectDelay = { initialMs: 50, maxMs: 1_000 }
const connectMs = 3_000
const answerMs = 5_000
/** A session that no longer answers may take so long to end. */
const closeMs = 500
/** Between two looks whether it is outdated. */
const outdatedMs = 1_000
/** If a host vanishes without closing its connections, the other side notices within 15 s. */
const silentMs = 5_000
const keepalives = `
  set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 4; set tcp_user_timeout = 10000`

const config: PrimaryConfig = {
  settings: { planning: 'queue', statementTimeoutMs: answerMs },
  keepAlive: true,
  keepAliveInitialDelayMillis: silentMs,
  connectionTimeoutMillis: connectMs,
  query_timeout: answerMs,
}

/** Where `begin` or `stay` rejects, the session is replaced. */
export type Listener = {
  /** What is done about a notification, by channel. */
  channels: Record<string, (payload: string) => void>
  /** On each new session, which listens by then. */
  begin(session: Queries): Promise<void>
  /** After that, until `over` aborts: the session has ended, or the listener has left. */
  stay?(session: Queries, over: AbortSignal): Promise<void>
  /** There is no session. Without an error it is only replaced. */
  lost?(error?: unknown): void
  /** The last on the session, if there is one. */
  leave?(session: Queries): Promise<unknown>
}

type Dependencies = {
  primary: Primary
  /** Whether there is a connection for it. */
  mayConnect: () => boolean
}

export type Notifications = ReturnType<typeof createNotifications>

export function createNotifications({ primary, mayConnect }: Dependencies) {
  const listeners = new Set<Listener>()
  const backoff = createBackoff(reconnectDelay)
  let session: Session | undefined
  let keeping: Promise<void> | undefined

  const isGood = (client: pg.Client) => listeners.size > 0 && mayConnect() && !primary.isOutdated(client)

  /** Resolves when the session is to be replaced, or nobody listens any more. Rejects when it ends or no longer answers. */
  const hold = async (client: pg.Client) => {
    const held = openSession(client)
    try {
      await held.until(client.query(keepalives))
      session = held
      await held.until(Promise.all([...listeners].map(held.begin)))
      backoff.reset()
      while (isGood(client) && !held.over.aborted && !(await primary.isToBeReplaced(client)))
        await held.until(sleep(outdatedMs, undefined, { signal: held.over, ref: false }).catch(() => {}))
    } finally {
      session = undefined
      held.end()
    }
  }

  const keepOne = async () => {
    let client: pg.Client | undefined
    try {
      client = await primary.connect(config)
      if (isGood(client)) await hold(client)
      for (const { lost } of listeners) lost?.()
    } catch (error) {
      for (const { lost } of listeners) lost?.(error)
    }
    await atMost(closeMs, client?.end())
  }

  const keep = async () => {
    while (listeners.size > 0) {
      if (mayConnect()) await keepOne()
      if (listeners.size > 0) await sleep(backoff.next(), undefined, { ref: false })
    }
    keeping = undefined
  }

  /** Takes a second at most. */
  const leave = async (listener: Listener) => {
    listeners.delete(listener)
    await atMost(closeMs, session?.leave(listener))
    if (listeners.size > 0) return
    session?.end()
    await atMost(closeMs, keeping)
  }

  return {
    listen(listener: Listener) {
      listeners.add(listener)
      void session?.begin(listener)
      keeping ??= keep()
      return { stop: () => leave(listener) }
    },
  }
}

type Session = ReturnType<typeof openSession>

function openSession(client: pg.Client) {
  const queries = queriesOn(client)
  const over = new AbortController()
  const present = new Map<Listener, Presence>()
  const { promise: ended, reject: fail } = Promise.withResolvers<never>()
  ended.catch(() => over.abort())
  client.on('error', fail).on('end', () => fail(new Error('the session has ended')))
  client.on('notification', ({ channel, payload = '' }) => {
    for (const { channels } of present.keys()) channels[channel]?.(payload)
  })
  const isListenedTo = (channel: string) => [...present.keys()].some(({ channels }) => channel in channels)
  const begin = async (listener: Listener, left: AbortSignal) => {
    for (const channel of Object.keys(listener.channels)) await client.query(`listen ${channel}`)
    await listener.begin(queries)
    if (!left.aborted) listener.stay?.(queries, AbortSignal.any([over.signal, left])).catch(fail)
  }
  return {
    over: over.signal,
    end: () => over.abort(),
    /** Rejects at once when the session ends. */
    until: (work: Promise<unknown>) => Promise.race([ended, work]),
    begin(listener: Listener) {
      const left = new AbortController()
      const begun = begin(listener, left.signal).catch(fail)
      present.set(listener, { begun, left })
      return begun
    },
    leave: async (listener: Listener) => {
      const presence = present.get(listener)
      present.delete(listener)
      presence?.left.abort()
      // What it did after it has left would stay.
      await presence?.begun
      await listener.leave?.(queries)
      // Another may have come meanwhile: the server does first what is sent first.
      for (const channel of Object.keys(listener.channels))
        if (!isListenedTo(channel)) await client.query(`unlisten ${channel}`)
    },
  }
}

/** `begun`: when it has. */
type Presence = { begun: Promise<void>; left: AbortController }

/** Never rejects. */
const atMost = (ms: number, work: Promise<unknown> | undefined) =>
  Promise.race([work?.catch(() => {}), sleep(ms, undefined, { ref: false })])
