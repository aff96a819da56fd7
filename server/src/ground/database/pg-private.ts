/** What is used of the driver and is not documented, or only by its types: `docs/build/private-interfaces.md`. */
import type { Duplex } from 'node:stream'
import pg from 'pg'
import type { RequiredAuthentication } from './connection.ts'

/** The connection's bytes: a socket, or what encrypts it. */
export const streamOf = (client: pg.ClientBase): Duplex & { unref(): void } =>
  (client as pg.Client).connection.stream as Duplex & { unref(): void }

type PoolConfig = Omit<pg.PoolConfig, 'Client'> & { Client: new (config: never) => pg.Client; settings: object }

/** Gives all of `config` to each of its clients, our own settings among it. */
export const createDriverPool = (config: PoolConfig) => new pg.Pool(config as unknown as pg.PoolConfig)

/** Read by the pool each time: what is written into it counts from then on. */
export const limitsOf = (pool: pg.Pool): { max: number; min?: number | undefined } => pool.options

/** pg-pool reports only by this message that its wait for a connection has expired. */
export const isExhausted = (error: unknown): boolean =>
  (error as Error).message === 'timeout exceeded when trying to connect'

/** The driver reports lost and silent connections without a code. */
const lostMessages =
  /^(?:Connection terminated|Client (?:has encountered a connection error|was closed)|Query read timeout|timeout exceeded|timeout expired)/

export const isLost = (error: unknown): boolean => error instanceof Error && lostMessages.test(error.message)

/** The driver sends nothing on a connection that it knows to be lost. */
export const wasSent = (error: unknown): boolean =>
  !/^Client (?:has encountered|was closed)/.test((error as Error).message)

export const serverHasNoTls = (error: unknown): boolean =>
  (error as Error).message === 'The server does not support SSL connections'

type Callback<Row> = (error: Error | undefined, result: { rows: Row[] }) => void
type Send<Row> = (query: object, values: undefined, callback: Callback<Row>) => void

/**
 * The driver makes a slow copy of a query object, but not of a `Query` (25 µs of CPU per statement, 19 with this). Its constructor
 * takes no name, by which the server keeps the prepared statement.
 */
export function sendNamed<Row>(
  on: pg.ClientBase | pg.Pool,
  { name, text, values }: { name: string; text: string; values: unknown[] },
  callback: Callback<Row>,
) {
  const query = Object.assign(new pg.Query(text, values), { name })
  const send = on.query.bind(on) as unknown as Send<Row>
  send(query, undefined, callback)
}

/** Of a text of several statements the driver returns a list of results, in their order. `timeoutMs`: for all of them together. */
export async function lastRowOf<Row>(client: pg.Client, text: string, timeoutMs: number): Promise<Row> {
  const results = await client.query({ text, query_timeout: timeoutMs } as pg.QueryConfig)
  return (results as unknown as pg.QueryResult[]).at(-1)?.rows[0]
}

/** `mechanisms`: of SASL. */
type Asked = { mechanisms?: string[] }

/**
 * The driver answers whatever way to sign in the server asks for, also that of one in the middle which wants the password itself. Before it
 * does, the connection is ended where that way was not asked for (libpq, 34.1.2: `require_auth`, `channel_binding`). Gives why, once
 * it was: what comes with the request may have the driver report something else.
 */
export function requireAuthentication(
  client: pg.Client,
  { methods, isBound }: RequiredAuthentication,
): () => Error | undefined {
  const { connection } = client
  let isChecked = false
  let refusal: Error | undefined
  const check = (method: string, { mechanisms }: Asked) => {
    if (isChecked) return
    isChecked = true
    const isUnbound = isBound && !mechanisms?.includes('SCRAM-SHA-256-PLUS')
    if (!isUnbound && (!methods || admits(methods, method))) return
    const problem = isUnbound ? 'channel_binding=require' : `require_auth=${methods}`
    const message = `the server asks for ${method} authentication, and ${problem} refuses that`
    refusal = Object.assign(new Error(message), { code: '28000' })
    streamOf(client).destroy(refusal)
  }
  const ways = [
    ['authenticationCleartextPassword', 'password'],
    ['authenticationMD5Password', 'md5'],
    ['authenticationSASL', 'scram-sha-256'],
    ['authenticationOk', 'none'],
  ] as const
  for (const [event, method] of ways) connection.prependListener(event, (asked: Asked) => check(method, asked))
  return () => refusal
}

/** `!` before a method: any but those. */
const admits = (methods: string, method: string): boolean =>
  methods.startsWith('!') ? !methods.split(',').includes(`!${method}`) : methods.split(',').includes(method)
