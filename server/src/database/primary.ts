import pg from 'pg'
import { type Connection, connectTimeoutMs } from './connection.ts'
import { codeOf, isReadOnly, isUnavailable, troubleOf } from './postgres-error.ts'
import { type Planning, settingsText } from './session-settings.ts'

/** A connection is replaced after so long, a tenth more or less, so that not all are at once. */
const lifetimeMs = 10 * 60_000
const lifetimeSpread = 0.1
/** So often, while there are reads, a new connection shows whether the address still leads to the same server. */
const checkEveryMs = 5_000
/** For the one message that sets a connection up. */
const setUpMs = 5_000

export type ConnectionSettings = {
  planning?: Planning
  /** 0: none. */
  statementTimeoutMs: number
}

export type PrimaryConfig = pg.ClientConfig & { settings: ConnectionSettings; pipeline?: boolean }

/**
 * The server that takes writes, wherever it is now. Every connection of a process is made through one of these, so that none
 * outlives a switch of the primary: as soon as one connection shows another server, or one that became read-only, those made
 * before are outdated.
 */
export type Primary = {
  /** Tries all candidates. Throws what one of them said that a person can act on, if any did. */
  connect(config: PrimaryConfig): Promise<pg.Client>
  /** For a pool, which makes its connections itself, one candidate at a time. */
  Client: new (
    config: PrimaryConfig,
  ) => pg.Client
  /** For one host to answer. */
  connectTimeoutMs: number
  /** How often a connection may fail before all were tried. */
  candidates: number
  isOutdated(client: pg.ClientBase): boolean
  /** All connections made so far have become outdated. */
  onSwitch(listener: () => void): void
  /** To be told of every error of a statement. */
  note(error: unknown): void
  /** To be told why no connection can be had. */
  notConnected(error: unknown): void
  /** Checks where the address leads, at most every five seconds, without waiting for it. */
  checkAddressSoon(): void
}

type Server = { encoding: string; read_only: boolean; system: string; timeline: string | null }

/** `onUnavailable` is told of every error that says that the database is away. */
export function createPrimary(connection: Connection, onUnavailable: (error: unknown) => void = () => {}): Primary {
  const { candidates = [connection], ...common } = connection
  let current = 0
  let generation = 0
  let known: Server | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  const listeners: (() => void)[] = []

  const outdateAll = () => {
    generation++
    for (const listener of listeners) listener()
  }

  /** A server of another cluster, or of a later timeline, is another primary; one of an earlier timeline was overtaken. */
  const noteServer = (server: Server) => {
    const isSameSystem = known?.system === server.system
    if (isSameSystem && (server.timeline ?? '') < (known?.timeline ?? ''))
      throw readOnly('a later primary has overtaken this one')
    if (known && (!isSameSystem || known.timeline !== server.timeline)) outdateAll()
    known = server
  }

  /** Another way to speak to the same host is tried only where the first was refused for what it is, as libpq does. */
  const afterFailure = (failed: number, error: unknown): number => {
    const next = (failed + 1) % candidates.length
    if (next <= failed || !isSameHost(candidates[next], candidates[failed]) || refusesVariant(error)) return next
    return (failed + 2) % candidates.length
  }

  /** To the candidate that was the one to try when it was made; when that fails, the next one is. */
  class Client extends pg.Client {
    readonly candidate = current
    readonly settings: ConnectionSettings
    generation = -1
    expiresAt = 0

    constructor({ settings, ...config }: PrimaryConfig) {
      super({ ...common, ...config, ...candidates[current] })
      this.settings = settings
      // An error may be read together with the end of the start-up, before whoever asked for the connection listens.
      this.on('error', () => {})
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null) => void): void
    override connect(callback?: (error: Error | null) => void) {
      const opened = this.open()
      if (!callback) return opened
      void opened.then(() => callback(null), callback)
      return undefined
    }

    private async open(): Promise<pg.Client> {
      try {
        await super.connect()
        noteServer(await setUp(this, this.settings))
      } catch (error) {
        if (this.candidate === current) current = afterFailure(this.candidate, error)
        this.end().catch(() => {})
        throw error
      }
      // The next one begins again with the first way to speak to this host.
      if (this.candidate === current) current = candidates.findIndex((one) => isSameHost(one, candidates[current]))
      const jitter = 1 + lifetimeSpread * (2 * Math.random() - 1)
      this.expiresAt = performance.now() + lifetimeMs * jitter
      this.generation = generation
      return this
    }
  }

  const connect: Primary['connect'] = async (config) => {
    let failure: unknown
    for (let left = candidates.length; left > 0; left--) {
      try {
        return await new Client(config).connect()
      } catch (error) {
        failure = failure ? moreTelling(failure, error) : error
      }
    }
    onUnavailable(failure)
    throw failure
  }

  const checkAddress = async () => {
    const client = await connect({ settings: { statementTimeoutMs: setUpMs } })
    await client.end()
  }

  return {
    connect,
    Client,
    candidates: candidates.length,
    connectTimeoutMs: common.connectionTimeoutMillis ?? connectTimeoutMs,
    isOutdated: (client) => {
      const { generation: own, expiresAt } = client as Client
      return own !== generation || performance.now() > expiresAt
    },
    note: (error) => {
      if (isReadOnly(error)) outdateAll()
      if (isUnavailable(error)) onUnavailable(error)
    },
    notConnected: onUnavailable,
    onSwitch: (listener) => listeners.push(listener),
    checkAddressSoon: () => {
      if (performance.now() - checkedAt < checkEveryMs) return
      checkedAt = performance.now()
      checkAddress().catch(() => {})
    },
  }
}

const isSameHost = (one: Connection | undefined, other: Connection | undefined) =>
  one?.host === other?.host && one?.port === other?.port

/** No TLS there; or, without TLS, no entry in pg_hba.conf. */
const refusesVariant = (error: unknown) =>
  codeOf(error) === '28000' || (error as Error).message === 'The server does not support SSL connections'

/** Of several servers that cannot be used: who has an answer that a person can act on is told before who is merely away. */
function moreTelling(one: unknown, other: unknown): unknown {
  const rankOf = (error: unknown) => ['unreachable', 'read_only', 'full'].indexOf(troubleOf(error).code)
  const [first, second] = [rankOf(one), rankOf(other)]
  if (first === -1) return one
  return second === -1 || second > first ? other : one
}

/** Like PostgreSQL's own refusal, which would come with the first write. */
const readOnly = (message: string) => Object.assign(new Error(message), { code: '25006' })

/** Throws where the database is of no use. */
async function setUp(
  client: pg.Client,
  { planning = 'work', statementTimeoutMs }: ConnectionSettings,
): Promise<Server> {
  const results = await client.query({
    text: `${settingsText(planning, statementTimeoutMs)};
      select current_setting('server_encoding') as encoding,
             pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
             (select system_identifier::text from pg_control_system()) as system,
             case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`,
    query_timeout: setUpMs,
  } as pg.QueryConfig)
  const server = (results as unknown as pg.QueryResult<Server>[]).at(-1)?.rows[0] as Server
  if (server.encoding !== 'UTF8') throw new Error(`database: its encoding is ${server.encoding}, and must be UTF8`)
  if (server.read_only) throw readOnly('the server takes no writes')
  return server
}
