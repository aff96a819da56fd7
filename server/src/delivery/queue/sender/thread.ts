/** The thread that `sender.ts` starts: signs and sends requests, and reports how they end; and signs what others send. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Unsigned } from '../../../ground/keys/index.ts'
import { createEgressClient, type EgressOptions } from '../../../ground/outbound/index.ts'
import type { AttemptEnd, Concurrency, ConcurrencyLimits } from '../delivery.ts'
import { createRequests, type SenderRequest, type Signed, sign, tickMs } from './requests.ts'

/** `reportsBegun`: whether it also reports that a request has begun, for failpoints. */
export type Setup = {
  egressOptions: Omit<EgressOptions, 'lookUpName'>
  limits: ConcurrencyLimits
  reportsBegun: boolean
}
export type Command =
  | { requests: SenderRequest[] }
  | { revoke: string }
  /** The report of its end has what was signed, in that order. There is one of these at a time. */
  | { sign: Unsigned[] }
  | 'releaseAll'
  | 'close'
/** The first report says that the thread is ready. `done`: how many revocations, signings and closings were carried out and reported. */
export type Report = {
  begun: number[]
  setAside: { id: number; concurrency: Concurrency }[]
  ended: { id: number; end: AttemptEnd }[]
  signed?: Signed[]
  done: number
}

/** What ends within it is reported together: each message takes some 20 µs of both threads. */
const reportIntervalMs = 4

/** As `main.ts` does for its own thread: 7 MB that the start of this one has left behind (measured). */
const collectGarbageAfterMs = 1_000

const port = parentPort as NonNullable<typeof parentPort>
const { egressOptions, limits, reportsBegun } = workerData as Setup
const nothing = (): Report => ({ begun: [], setAside: [], ended: [], done: 0 })

let report = nothing()
let reporting: NodeJS.Timeout | undefined

function send() {
  clearTimeout(reporting)
  reporting = undefined
  port.postMessage(report)
  report = nothing()
}

function sendSoon() {
  reporting ??= setTimeout(send, reportIntervalMs)
}

function sendDone() {
  report.done += 1
  send()
}

const egress = createEgressClient(egressOptions)
const requests = createRequests({
  ...{ egress, limits },
  onBegun: (id) => {
    if (!reportsBegun) return
    report.begun.push(id)
    send()
  },
  onSetAside: (id, concurrency) => {
    report.setAside.push({ id, concurrency })
    sendSoon()
  },
  onEnded: (id, end) => {
    report.ended.push({ id, end })
    sendSoon()
  },
})
const ticking = setInterval(requests.tick, tickMs)

async function close() {
  clearInterval(ticking)
  await egress.close()
  // The requests that it broke off have ended by then.
  setImmediate(sendDone)
}

// A request that cannot be read would never end: the thread ends with all that it has.
port.on('messageerror', (error) => {
  throw error
})
port.on('message', (command: Command) => {
  if (command === 'releaseAll') return requests.releaseAll()
  if (command === 'close') return void close()
  if ('requests' in command) return requests.add(command.requests)
  if ('sign' in command) report.signed = command.sign.map(sign)
  else requests.revoke(command.revoke)
  sendDone()
})
send()
setTimeout(
  () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  collectGarbageAfterMs,
).unref()
