/** The thread that `sender.ts` starts: sends requests, and reports how they end. */
import { parentPort, workerData } from 'node:worker_threads'
import { createEgressClient, type EgressOptions } from '../../outbound/index.ts'
import type { AttemptEnd, ConcurrencyLimits } from '../delivery.ts'
import { createRequests, type SenderRequest, tickMs } from './requests.ts'

/** `reportsBegun`: whether it also reports that a request has begun, for failpoints. */
export type Setup = {
  egressOptions: Omit<EgressOptions, 'lookUpName'>
  limits: ConcurrencyLimits
  reportsBegun: boolean
}
export type Command = { requests: SenderRequest[] } | { revoke: string } | 'releaseAll' | 'close'
/** The first report says that the thread is ready. `done`: how many revocations and closings were carried out and reported. */
export type Report = { begun: number[]; ended: { id: number; end: AttemptEnd }[]; done: number }

/** What ends within it is reported together: each message takes some 20 µs of both threads. */
const reportIntervalMs = 4

/** As `main.ts` does for its own thread: 7 MB that the start of this one has left behind (measured). */
const collectGarbageAfterMs = 1_000

const port = parentPort as NonNullable<typeof parentPort>
const { egressOptions, limits, reportsBegun } = workerData as Setup
const nothing = (): Report => ({ begun: [], ended: [], done: 0 })

let report = nothing()
let reporting: NodeJS.Timeout | undefined

function send() {
  clearTimeout(reporting)
  reporting = undefined
  port.postMessage(report)
  report = nothing()
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
  onEnded: (id, end) => {
    report.ended.push({ id, end })
    reporting ??= setTimeout(send, reportIntervalMs)
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
  requests.revoke(command.revoke)
  sendDone()
})
send()
setTimeout(
  () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  collectGarbageAfterMs,
).unref()
