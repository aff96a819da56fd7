import pg from 'pg'
import { type Connection, connectTimeoutMs } from './connection.ts'
import { lastRowOf, requireAuthentication, serverHasNoTls } from './pg-private.ts'
import { codeOf, isFull, isReadOnly, isUnavailable, troubleOf } from './postgres-error.ts'
import { createRenewal } from './renewal.ts'
import { type Planning, settingsText } from './session-settings.ts'

/** Connections are replaced after this time, varied by a tenth so that not all are replaced at once. */
const lifetimeMs = 10 * 60_000
const lifetimeSpread = 0.1
/** While there are reads, a new connection looks this often whether the address still leads to the same server. */
const lookEveryMs = 5_000
/** Limit for the message with the session's settings. */
const setUpMs = 5_000

export type ConnectionSettings = {
  /** `probe`: for a connection that only looks at the server, with the least memory for a sort. */
  planning?: Planning | 'probe'
  /** 0: none. */
  statementTimeoutMs: number
}

export type PrimaryConfig = pg.ClientConfig & { settings: ConnectionSettings; pipeline?: boolean }

/**
 * Finds the server that takes writes. A process opens all its connections through one of these, so that none outlives a
 * switch of the primary: as soon as one connection reaches another server, or finds its server read-only, all earlier
 * connections are outdated.
 */
export type Primary = {
  /** Tries all candidates. Throws the most actionable of their errors. */
  connect(config: PrimaryConfig): Promise<pg.Client>
  /** For a pool, which opens its connections itself, one candidate each. */
  Client: new (
    config: PrimaryConfig,
  ) => pg.Client
  /** Per host. */
  connectTimeoutMs: number
  /** How many failed connections mean that all candidates were tried. */
  candidates: number
  /** It was opened before the last switch of the primary, and must not be used. */
  isOutdated(client: pg.ClientBase): boolean
  /** It is to be replaced once the server gives another one. */
  isOld(client: pg.ClientBase): boolean
  /** It is outdated; or old, and the server gives another one. One that is old and cannot be replaced goes on being used. */
  isToBeReplaced(client: pg.ClientBase): Promise<boolean>
  /** The listener runs when all earlier connections have become outdated. */
  onSwitch(listener: () => void): void
  /** How many connections are open. */
  openCount(): number
  /** The listener runs when the server has refused a further connection. */
  onFull(listener: () => void): void
  /** When anything of this process last met a database that is unavailable, by the timer of `performance`. */
  troubledAt(): number
  /** Must be called with every error of a statement. */
  note(error: unknown): void
  /** Must be called with the reason when no connection can be opened. */
  notConnected(error: unknown): void
  /** Looks in the background, at most every five seconds, which server the address leads to. */
  lookSoon(): void
}

export type PrimaryOptions = {
  /** Called with every error that means the database is unavailable. */
  onUnavailable?: (error: unknown) => void
  /** Called with a line about a file that has become wrong; what was read of it before stays in use. */
  onProblem?: (problem: string) => void
  /** Milliseconds of a monotonic timer, by which connections age. */
  now?: () => number
}

type Server = { encoding: string; read_only: boolean; system: string; timeline: string | null }

export function createPrimary(connection: Connection, options: PrimaryOptions = {}): Primary {
  const { onProblem = () => {}, now = () => performance.now() } = options
  let troubledAt = Number.NEGATIVE_INFINITY
  const onUnavailable = (error: unknown) => {
    troubledAt = performance.now()
    options.onUnavailable?.(error)
  }
  const { candidates: all = [connection] } = connection
  const candidates = createCandidates(all)
  const generations = createGenerations()
  const open = createOpenCount()
  const Client = createClient({ renewed: createRenewal(connection, onProblem), candidates, generations, open, now })

  const connect: Primary['connect'] = async (config) => {
    let failure: unknown
    for (let left = all.length; left > 0; left--) {
      try {
        return await new Client(config).connect()
      } catch (error) {
        failure = failure ? moreTelling(failure, error) : error
      }
    }
    onUnavailable(failure)
    throw failure
  }

  const look = createLook(connect, now)
  const isOutdated: Primary['isOutdated'] = (client) =>
    (client as InstanceType<typeof Client>).generation !== generations.current()
  const isOld = (client: pg.ClientBase) => now() > (client as InstanceType<typeof Client>).expiresAt

  return {
    connect,
    Client,
    candidates: all.length,
    connectTimeoutMs: connection.connectionTimeoutMillis ?? connectTimeoutMs,
    isOutdated,
    isOld,
    isToBeReplaced: async (client) => isOutdated(client) || (isOld(client) && (await look())),
    note: (error) => {
      if (isReadOnly(error)) generations.outdateAll()
      if (isUnavailable(error)) onUnavailable(error)
    },
    notConnected: onUnavailable,
    troubledAt: () => troubledAt,
    onSwitch: generations.onSwitch,
    openCount: open.count,
    onFull: open.onFull,
    lookSoon: () => void look(),
  }
}

/** Each server that took writes is a generation, to which the connections belong that were opened since. */
function createGenerations() {
  const listeners: (() => void)[] = []
  let current = 0
  let known: Server | undefined

  const outdateAll = () => {
    current++
    for (const listener of listeners) listener()
  }

  return {
    current: () => current,
    outdateAll,
    onSwitch: (listener: () => void) => listeners.push(listener),
    /** Another cluster or a later timeline is a new primary; an earlier timeline is a former one. */
    note(server: Server) {
      const isSameSystem = known?.system === server.system
      if (isSameSystem && (server.timeline ?? '') < (known?.timeline ?? ''))
        throw readOnly('a later primary has overtaken this one')
      if (known && (!isSameSystem || known.timeline !== server.timeline)) outdateAll()
      known = server
    },
  }
}

function createCandidates(candidates: pg.ClientConfig[]) {
  let current = 0

  /** As in libpq, the other TLS variant of a host is tried only when the first was refused because of TLS. */
  const afterFailure = (failed: number, error: unknown): number => {
    const next = (failed + 1) % candidates.length
    if (next <= failed || !isSameHost(candidates[next], candidates[failed]) || refusesVariant(error)) return next
    return (failed + 2) % candidates.length
  }

  return {
    current: () => current,
    failed(candidate: number, error: unknown) {
      if (candidate === current) current = afterFailure(candidate, error)
    },
    /** The next connection begins with the first TLS variant of this host again. */
    succeeded(candidate: number) {
      if (candidate === current) current = candidates.findIndex((one) => isSameHost(one, candidates[current]))
    },
  }
}

function createOpenCount() {
  const listeners: (() => void)[] = []
  let count = 0
  return {
    count: () => count,
    add: (client: pg.Client) => {
      count++
      client.once('end', () => count--)
    },
    onFull: (listener: () => void) => listeners.push(listener),
    full: () => {
      for (const listener of listeners) listener()
    },
  }
}

type ClientParts = {
  /** What the next connection is made with. */
  renewed: () => Connection
  candidates: ReturnType<typeof createCandidates>
  generations: ReturnType<typeof createGenerations>
  open: ReturnType<typeof createOpenCount>
  now: () => number
}

/** Connects to the current candidate; a failure makes the next one current. */
const createClient = ({ renewed, candidates, generations, open, now }: ClientParts) =>
  class Client extends pg.Client {
    readonly candidate = candidates.current()
    readonly settings: ConnectionSettings
    readonly refusal: () => Error | undefined
    generation = -1
    expiresAt = 0

    constructor({ settings, ...config }: PrimaryConfig) {
      const { candidates: all, requiredAuthentication, ...common } = renewed()
      super({ ...common, ...config, ...all?.[candidates.current()] })
      this.settings = settings
      this.refusal = requiredAuthentication ? requireAuthentication(this, requiredAuthentication) : () => undefined
      // An error may arrive together with the end of the start-up, before the caller has a listener.
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

    async open(): Promise<pg.Client> {
      try {
        await super.connect()
        generations.note(await setUp(this, this.settings))
      } catch (failure) {
        const error = this.refusal() ?? failure
        candidates.failed(this.candidate, error)
        this.end().catch(() => {})
        if (isFull(error)) open.full()
        throw error
      }
      open.add(this)
      candidates.succeeded(this.candidate)
      const jitter = 1 + lifetimeSpread * (2 * Math.random() - 1)
      this.expiresAt = now() + lifetimeMs * jitter
      this.generation = generations.current()
      return this
    }
  }

/**
 * Opens a connection, unless that was tried within the last five seconds: so it is seen which server the address leads to, and whether
 * another connection could be had. Where the server has no further one, one that is closed makes room.
 */
function createLook(connect: Primary['connect'], now: () => number): () => Promise<boolean> {
  let lookedAt = Number.NEGATIVE_INFINITY
  let latest = Promise.resolve(true)
  const look = async () => {
    const client = await connect({ settings: { planning: 'probe', statementTimeoutMs: setUpMs } })
    await client.end()
    return true
  }
  return () => {
    if (now() - lookedAt < lookEveryMs) return latest
    lookedAt = now()
    latest = look().catch(isFull)
    return latest
  }
}

const isSameHost = (one: Connection | undefined, other: Connection | undefined) =>
  one?.host === other?.host && one?.port === other?.port

/** The server has no TLS; or pg_hba.conf has no entry without TLS. */
const refusesVariant = (error: unknown) => codeOf(error) === '28000' || serverHasNoTls(error)

/** Of several errors the most actionable one: a refusal before a server that is merely unreachable. */
function moreTelling(one: unknown, other: unknown): unknown {
  const rankOf = (error: unknown) => ['unreachable', 'read_only', 'full'].indexOf(troubleOf(error).code)
  const [first, second] = [rankOf(one), rankOf(other)]
  if (first === -1) return one
  return second === -1 || second > first ? other : one
}

/** The error that PostgreSQL itself would raise at the first write. */
const readOnly = (message: string) => Object.assign(new Error(message), { code: '25006' })

/** Throws when the database cannot be used. */
async function setUp(
  client: pg.Client,
  { planning = 'work', statementTimeoutMs }: ConnectionSettings,
): Promise<Server> {
  const server = await lastRowOf<Server>(
    client,
    `${planning === 'probe' ? `set statement_timeout = ${statementTimeoutMs}; set work_mem = '64kB'` : settingsText(planning, statementTimeoutMs)};
      select current_setting('server_encoding') as encoding,
             pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
             (select system_identifier::text from pg_control_system()) as system,
             case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`,
    setUpMs,
  )
  if (server.encoding !== 'UTF8') throw new Error(`database: its encoding is ${server.encoding}, and must be UTF8`)
  if (server.read_only) throw readOnly('the server takes no writes')
  return server
}
