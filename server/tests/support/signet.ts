import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../scripts/free-port.ts'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { faultOfCodes } from './codes.ts'
import { testDatabase } from './database.ts'
import { optionsOfNode } from './program.ts'
import type { Receiver } from './receiver.ts'

const main = join(import.meta.dirname, '../../src/main.ts')
/** A machine that is busy with other test files takes its time. */
const readyTimeoutMs = 60_000
/** The connections of a process that was killed close before its parent hears of its end. */
const endNoticedMs = 200

export type Organization = { id: string; apiKey: string }
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer, field by field
export type Answer = { status: number; headers: Headers; body: any }
export type Headings = Record<string, string>

/** The interface of a running Signet: all that a client knows is its address and its keys. */
export type Client = {
  baseUrl: string
  operatorKey: string
  /** A call of the interface, JSON in and out; `undefined` body: none is sent. */
  call(method: string, path: string, headers?: Headings, body?: unknown): Promise<Answer>
  /** The same with an organization's headers. */
  as(organization: Organization, method: string, path: string, body?: unknown, headers?: Headings): Promise<Answer>
  operate(method: string, path: string, body?: unknown): Promise<Answer>
  /** A new organization with its key. */
  organization(fields?: object): Promise<Organization>
}

export type Signet = Client & {
  process: ChildProcess
  output(): string
  /** Ends it gracefully and gives the exit code. */
  stop(): Promise<number | null>
  kill(): Promise<void>
}

/** With a database of its own, which `stop` drops. */
export type OwnSignet = Signet & { database: Awaited<ReturnType<typeof testDatabase>> }

export type SignetOptions = ({ databaseUrl: string } | { dataDir: string }) & {
  /** Of every worker on the database: any of them may claim a delivery, and is ended where it knows no address for its host. */
  receiver?: Receiver
  env?: Record<string, string>
  port?: number
  masterKey?: string
  /** Started once this answers 200; `/readyz` by default. */
  readyPath?: '/livez' | '/readyz'
  /** Instead of the product's own. */
  program?: string
  /** For Node, before the program. */
  nodeOptions?: string[]
}

/** `npm start` as a process of its own, on the given database or with its own in the given folder. */
export async function startSignet(options: SignetOptions): Promise<Signet> {
  const { receiver } = options
  const port = options.port ?? (await freePort())
  const operatorKey = 'operator-key-for-tests-0123456789'
  const baseUrl = `http://localhost:${port}`
  const { program = main, nodeOptions = [] } = options
  const child = spawn(process.execPath, [...nodeOptions, program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...optionsOfNode(),
      PORT: String(port),
      ...('dataDir' in options ? { SIGNET_DATA_DIR: options.dataDir } : { DATABASE_URL: options.databaseUrl }),
      SIGNET_BASE_URL: baseUrl,
      SIGNET_OPERATOR_KEY: operatorKey,
      SIGNET_MASTER_KEY: options.masterKey ?? masterKey,
      SIGNET_LOG_LEVEL: 'warn',
      ...(receiver && { SIGNET_WEBHOOK_RESOLVE: receiver.resolve, NODE_EXTRA_CA_CERTS: receiver.caFile }),
      ...options.env,
    },
  })
  const hasEnded = new Promise((resolve) => child.once('exit', resolve))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  try {
    await untilReady(child, `${baseUrl}${options.readyPath ?? '/readyz'}`, () => output)
  } catch (error) {
    await end(child, 'SIGKILL')
    throw error
  }
  return {
    ...createClient(baseUrl, operatorKey, async (error) => {
      await Promise.race([hasEnded, wait(endNoticedMs, undefined, { ref: false })])
      throw child.signalCode ? endedBy(child.signalCode, output) : error
    }),
    process: child,
    output: () => output,
    stop: async () => {
      const code = await end(child, 'SIGTERM')
      if (child.signalCode && leftLoopback.test(output)) throw endedBy(child.signalCode, output)
      return code
    },
    kill: async () => void (await end(child, 'SIGKILL')),
  }
}

/** What `loopback-only.mjs` prints before it ends a process. */
const leftLoopback = /must not reach beyond loopback/

const endedBy = (signal: NodeJS.Signals, output: string) => new Error(`Signet was ended by ${signal}:\n${output}`)

export async function startOwnSignet(options: Omit<SignetOptions, 'databaseUrl' | 'dataDir'> = {}): Promise<OwnSignet> {
  const database = await testDatabase()
  try {
    const signet = await startSignet({ ...options, databaseUrl: database.url })
    return { ...signet, database, stop: () => signet.stop().finally(database.drop) }
  } catch (error) {
    await database.drop()
    throw error
  }
}

/** One for all of a test file, so that a second Signet on the same database reads what the first one wrote. */
const masterKey = makeMasterKey()

/** `onFailure` may say more of why there was no answer. */
export function createClient(
  baseUrl: string,
  operatorKey: string,
  onFailure: (error: unknown) => Promise<never> = (error) => Promise.reject(error),
): Client {
  const call: Client['call'] = async (method, path, headers = {}, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }).catch(onFailure)
    // A stream has no end.
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    const text = isStream ? await response.body?.cancel() : await response.text()
    const answer = { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
    // An older release has no codes.
    const codes = answer.headers.get('signet-error')
    const fault = codes === null ? undefined : faultOfCodes(codes, answer.body)
    if (fault) throw new Error(`${method} ${path}: ${fault}`)
    return answer
  }
  const operate: Client['operate'] = (method, path, body) =>
    call(method, path, { 'Service-Operator-Key': operatorKey }, body)
  return {
    baseUrl,
    operatorKey,
    call,
    operate,
    as: ({ id, apiKey }, method, path, body, headers = {}) =>
      call(method, path, { 'Service-OrgID': id, 'Service-API-Key': apiKey, ...headers }, body),
    organization: async (fields = {}) => {
      const { body } = await operate('POST', '/organizations', { name: 'Test organization', ...fields })
      return { id: body.result.id, apiKey: body.result.api_key }
    },
  }
}

async function untilReady(child: ChildProcess, address: string, output: () => string) {
  const deadline = performance.now() + readyTimeoutMs
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Signet ended with ${child.exitCode}:\n${output()}`)
    const isReady = await fetch(address).then(
      (answer) => answer.ok,
      () => false,
    )
    if (isReady) return
    if (performance.now() > deadline) throw new Error(`Signet was not ready in time:\n${output()}`)
    await wait(25)
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal)
    await once(child, 'exit')
  }
  return child.exitCode
}
