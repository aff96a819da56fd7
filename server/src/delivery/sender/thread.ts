/** The thread that `sender.ts` starts: makes the calls that are ordered, and reports how they end. */
import { parentPort, workerData } from 'node:worker_threads'
import { createEgressClient, type EgressOptions } from '../../outbound/index.ts'
import type { AttemptEnd, CallCaps } from '../delivery.ts'
import { createCalls, type Order, tickMs } from './calls.ts'

/** `tellsBegun`: whether somebody wants to know when a call is begun. */
export type Setup = { egressOptions: Omit<EgressOptions, 'lookUpName'>; caps: CallCaps; tellsBegun: boolean }
export type Command = { orders: Order[] } | { revoke: string } | 'releaseAll' | 'close'
/** The first one says that calls are made. `done`: so many revocations and closings; what they ended is told in it, or was before. */
export type Report = { begun: number[]; ended: { id: number; end: AttemptEnd }[]; done: number }

/** What ends within it is told together: each message takes some 20 µs of both threads. */
const betweenReportsMs = 4

const port = parentPort as NonNullable<typeof parentPort>
const { egressOptions, caps, tellsBegun } = workerData as Setup
const nothing = (): Report => ({ begun: [], ended: [], done: 0 })

let report = nothing()
let telling: NodeJS.Timeout | undefined

function tell() {
  clearTimeout(telling)
  telling = undefined
  port.postMessage(report)
  report = nothing()
}

function tellDone() {
  report.done += 1
  tell()
}

function tellSoon() {
  telling ??= setTimeout(tell, betweenReportsMs)
}

const egress = createEgressClient(egressOptions)
const calls = createCalls({
  ...{ egress, caps },
  onBegun: (id) => {
    if (!tellsBegun) return
    report.begun.push(id)
    tell()
  },
  onEnded: (id, end) => {
    report.ended.push({ id, end })
    tellSoon()
  },
})
const ticking = setInterval(calls.tick, tickMs)

function revoke(id: string) {
  calls.revoke(id)
  tellDone()
}

async function close() {
  clearInterval(ticking)
  await egress.close()
  // The calls that it broke off have ended by then.
  setImmediate(tellDone)
}

// What cannot be read would never end: the thread ends with all that it has.
port.on('messageerror', (error) => {
  throw error
})
port.on('message', (command: Command) => {
  if (command === 'releaseAll') calls.releaseAll()
  else if (command === 'close') void close()
  else if ('orders' in command) calls.add(command.orders)
  else revoke(command.revoke)
})
tell()
