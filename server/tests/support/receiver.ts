import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeAuthority } from '../../../scripts/certificates.ts'

/** How a path of the receiver answers; the standard is 200 at once. */
export type Behaviour = {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Sends the body so many times over. */
  times?: number
  delayMs?: number
  /** Answers differently the first so many times. */
  first?: { times: number; status: number }
  /** Accepts the request and never answers. */
  hang?: boolean
  /** Begins an answer, and never ends its body. */
  stall?: boolean
  /** Closes the connection in place of an answer. */
  reset?: boolean
  /** Answers only once so many requests wait that say so. */
  together?: number
  /** How it answers one request after the other; from the last of them on always like that. */
  inTurn?: Behaviour[]
}

export type Received = {
  path: string
  method: string
  headers: Record<string, string | string[] | undefined>
  rawHeaders: string[]
  body: string
  at: number
  /** Its place among all beginnings and ends of calls that this receiver has seen. */
  begun: number
  /** The same of its end: answered, or given up by the caller; undefined while it is open. */
  ended?: number
}

export type Receiver = {
  host: string
  port: number
  /** The file of its certificate authority, for NODE_EXTRA_CA_CERTS. */
  caFile: string
  /** For SIGNET_WEBHOOK_RESOLVE. */
  resolve: string
  url(path: string): string
  behave(path: string, behaviour: Behaviour): void
  /** What the path has received so far, in order. */
  received(path: string): Received[]
  /** What all paths have received. */
  all(): Received[]
  /** Waits until the path has received `count` requests, and gives them. */
  waitFor(path: string, count: number, timeoutMs?: number): Promise<Received[]>
  stop(): Promise<void>
}

const host = 'receiver.test'

/** A real HTTPS receiver in another process, with a certificate of its own authority. */
export async function startReceiver(authority = makeAuthority()): Promise<Receiver> {
  const folder = mkdtempSync(join(tmpdir(), 'signet-receiver-'))
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, authority.certificate)
  const child = fork(join(import.meta.dirname, 'receiver-process.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send({ kind: 'listen', ...authority.issue([host]) })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const log = collect(child)
  return {
    host,
    port,
    caFile,
    resolve: `${host}:${port}:127.0.0.1`,
    url: (path) => `https://${host}:${port}${path}`,
    behave: (path, behaviour) => void child.send({ kind: 'behave', path, behaviour }),
    ...log,
    stop: async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function collect(child: ChildProcess) {
  const all = new Map<string, Received[]>()
  const waiting = new Set<() => void>()
  const open = new Map<number, Received>()
  child.on('message', ({ call, ...message }: { call: number } & (Received | { ended: number })) => {
    if (!('path' in message)) {
      const received = open.get(call)
      if (received) received.ended = message.ended
      open.delete(call)
      return
    }
    const received = message
    open.set(call, received)
    const list = all.get(received.path) ?? []
    list.push(received)
    all.set(received.path, list)
    for (const check of waiting) check()
  })
  const received = (path: string) => all.get(path) ?? []
  return {
    received,
    all: () => [...all.values()].flat(),
    waitFor: (path: string, count: number, timeoutMs = 10_000) =>
      new Promise<Received[]>((resolve, reject) => {
        const check = () => {
          if (received(path).length < count) return
          waiting.delete(check)
          clearTimeout(timer)
          resolve(received(path))
        }
        const timer = setTimeout(() => {
          waiting.delete(check)
          reject(new Error(`${path} received ${received(path).length} of ${count} requests within ${timeoutMs} ms`))
        }, timeoutMs)
        waiting.add(check)
        check()
      }),
  }
}
