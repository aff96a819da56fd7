import pg from 'pg'
import type { Connection } from './connection.ts'
import { isReadOnly, isUnavailable } from './postgres-error.ts'
import { type Planning, settingsText } from './session-settings.ts'

/** A connection is replaced after so long, a tenth more or less, so that not all are at once. */
const lifetimeMs = 10 * 60_000
const lifetimeSpread = 0.1
/** So often, while there are reads, a new connection shows whether the name still leads to the same server. */
const lookEveryMs = 5_000
/** For the one message that sets a connection up. */
const setUpMs = 5_000

export type Session = {
  planning?: Planning
  /** 0: none. */
  statementTimeoutMs: number
}

/**
 * The server that takes writes, wherever it is now. Every connection of a process is made through one of these, so that none
 * outlives a switch of the primary: as soon as one connection shows another server, or one that became read-only, those made
 * before are outdated.
 */
export type Primary = {
  /** Throws what the last of the candidates said. */
  connect(session: Session, config?: pg.ClientConfig): Promise<pg.Client>
  /** For a pool, which makes its connections itself: the class to make, and what to do with each before its first use. */
  Client: typeof pg.Client
  setUp(client: pg.Client, session: Session): Promise<void>
  /** How often a connection may fail before all candidates were tried. */
  candidates: number
  isOutdated(client: pg.Client): boolean
  /** To be told of every error of a statement. */
  note(error: unknown): void
  /** To be told why no connection can be had. */
  notConnected(error: unknown): void
  /** At most every five seconds, without waiting for it. */
  lookSoon(): void
}

type Made = { generation: number; expiresAt: number }
type Server = { encoding: string; read_only: boolean; system: string; timeline: string | null }

/** `onUnavailable` is told of every error that says that the database is away. */
export function createPrimary(connection: Connection, onUnavailable: (error: unknown) => void = () => {}): Primary {
  const { candidates = [connection], ...common } = connection
  const made = new WeakMap<pg.Client, Made>()
  const candidateOf = new WeakMap<pg.Client, number>()
  let current = 0
  let generation = 0
  let known: Server | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  const failed = (client: pg.Client) => {
    if (candidateOf.get(client) === current) current = (current + 1) % candidates.length
  }

  const note = (error: unknown) => {
    if (isReadOnly(error)) generation++
    if (isUnavailable(error)) onUnavailable(error)
  }

  /** A pool makes a client before it is told where to: its configuration is that of the candidate at that moment. */
  class Client extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super({ ...common, ...(config as pg.ClientConfig), ...candidates[current] })
      candidateOf.set(this, current)
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null) => void): void
    override connect(callback?: (error: Error | null) => void) {
      const connected = super.connect().catch((error) => {
        failed(this)
        throw error
      })
      if (!callback) return connected
      void connected.then(() => callback(null), callback)
      return undefined
    }
  }

  /** A server of another cluster, or of a later timeline, is another primary; one of an earlier timeline was overtaken. */
  const recognise = (server: Server) => {
    const isSameSystem = known?.system === server.system
    if (isSameSystem && (server.timeline ?? '') < (known?.timeline ?? ''))
      throw readOnly('a later primary has overtaken this one')
    if (known && (!isSameSystem || known.timeline !== server.timeline)) generation++
    known = server
  }

  const setUp = async (client: pg.Client, { planning = 'work', statementTimeoutMs }: Session) => {
    try {
      const server = await readServer(client, settingsText(planning, statementTimeoutMs))
      if (server.encoding !== 'UTF8') throw new Error(`database: its encoding is ${server.encoding}, and must be UTF8`)
      if (server.read_only) throw readOnly('the server takes no writes')
      recognise(server)
    } catch (error) {
      failed(client)
      throw error
    }
    const spread = 1 + lifetimeSpread * (2 * Math.random() - 1)
    made.set(client, { generation, expiresAt: performance.now() + lifetimeMs * spread })
  }

  const connectOnce = async (session: Session, config: pg.ClientConfig) => {
    const client = new Client(config)
    client.on('error', () => {})
    try {
      await client.connect()
      await setUp(client, session)
      return client
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
  }

  const connect: Primary['connect'] = async (session, config = {}) => {
    for (let left = candidates.length; ; left--) {
      try {
        return await connectOnce(session, config)
      } catch (error) {
        if (left > 1) continue
        onUnavailable(error)
        throw error
      }
    }
  }

  const look = async () => {
    const client = await connect({ statementTimeoutMs: setUpMs })
    await client.end()
  }

  return {
    connect,
    Client,
    setUp,
    candidates: candidates.length,
    isOutdated: (client) => {
      const { generation: own, expiresAt } = made.get(client) ?? { generation: -1, expiresAt: 0 }
      return own !== generation || performance.now() > expiresAt
    },
    note,
    notConnected: onUnavailable,
    lookSoon: () => {
      if (performance.now() - lookedAt < lookEveryMs) return
      lookedAt = performance.now()
      look().catch(() => {})
    },
  }
}

/** Like PostgreSQL's own refusal, which would come with the first write. */
const readOnly = (message: string) => Object.assign(new Error(message), { code: '25006' })

async function readServer(client: pg.Client, settings: string): Promise<Server> {
  const results = await client.query({
    text: `${settings};
      select current_setting('server_encoding') as encoding,
             pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
             (select system_identifier::text from pg_control_system()) as system,
             case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`,
    query_timeout: setUpMs,
  } as pg.QueryConfig)
  return (results as unknown as pg.QueryResult<Server>[]).at(-1)?.rows[0] as Server
}
