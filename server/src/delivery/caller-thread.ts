// The thread that `start-caller-thread.ts` starts: makes the calls that it is sent, and tells how they end.
import { parentPort, workerData } from 'node:worker_threads'
import { type DoorOptions, openDoor } from '../outbound/index.ts'
import type { CallCaps } from './call-caps.ts'
import { createOrderedCalls, type End, maxWaitMs, type Order } from './ordered-calls.ts'

/** `tellsBegun`: whether somebody wants to know when a call is begun. */
export type Setup = { doorOptions: Omit<DoorOptions, 'lookUpName'>; caps: CallCaps; tellsBegun: boolean }
export type Message = { orders: Order[] } | { recall: string } | 'handBackAll' | 'close'
/** The first one says that it is ready. `done`: so many recalls and closings; what they ended is told in it, or was before. */
export type News = { begun: number[]; ended: { id: number; end: End }[]; done: number }

/** What ends within it is told together: each message takes some 20 µs of both threads. */
const gatherMs = 4

const port = parentPort as NonNullable<typeof parentPort>
const { doorOptions, caps, tellsBegun } = workerData as Setup
const noNews = (): News => ({ begun: [], ended: [], done: 0 })

let news = noNews()
let telling: NodeJS.Timeout | undefined

function tell() {
  clearTimeout(telling)
  telling = undefined
  port.postMessage(news)
  news = noNews()
}

function tellDone() {
  news.done += 1
  tell()
}

function tellSoon() {
  telling ??= setTimeout(tell, gatherMs)
}

const door = openDoor(doorOptions)
const calls = createOrderedCalls({
  ...{ door, caps },
  onBegun: (id) => {
    if (!tellsBegun) return
    news.begun.push(id)
    tell()
  },
  onEnded: (id, end) => {
    news.ended.push({ id, end })
    tellSoon()
  },
})
const patience = setInterval(calls.handBackSlow, maxWaitMs / 2)

function recall(id: string) {
  calls.recall(id)
  tellDone()
}

async function close() {
  clearInterval(patience)
  await door.close()
  // The calls that it broke off have ended by then.
  setImmediate(tellDone)
}

// What cannot be read would never end: the thread ends with all that it has.
port.on('messageerror', (error) => {
  throw error
})
port.on('message', (message: Message) => {
  if (message === 'handBackAll') calls.handBackAll()
  else if (message === 'close') void close()
  else if ('orders' in message) calls.add(message.orders)
  else recall(message.recall)
})
// It is ready.
tell()
