/**
 * The thread that `sender.ts` starts: signs and sends requests as the concurrency limits allow, and reports how they end; and signs
 * what others send. It knows no clock but the machine's, and asks no database. It loads a copy of all that is imported here, so that
 * is little. Loaded in another way it starts nothing.
 */
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { signJwt, type Unsigned } from '../../../ground/keys/index.ts'
import {
  createEgressClient,
  type EgressClient,
  type EgressOptions,
  isSuccess,
  type OutboundRequest,
} from '../../../ground/outbound/index.ts'
import { monotonicNow } from '../../../ground/runtime/clock.ts'
import { collectGarbageSoon } from '../../../ground/runtime/collect-garbage.ts'
import {
  type AttemptEnd,
  belongsTo,
  type Concurrency,
  type ConcurrencyLimits,
  type ReleaseReason,
} from '../delivery.ts'
import { createRequestSlots, type WaitingRequest } from './concurrency-limits.ts'

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

/** A request that waits so long is released, unless it only waits for a free slot or its organization's share. */
const maxWaitMs = 1_000
/** What waits too long is released so much late at most. */
export const tickMs = 250
/** A signature right after another takes little more than half the time (`signJwt`). */
const signedTogether = 16

/** What requests to a webhook that were claimed together have in common: one object, which a message contains once. */
export type RequestTemplate = Pick<WaitingRequest, 'organizationId' | 'webhookId' | 'isHealthy' | 'concurrency'> & {
  call: Omit<OutboundRequest, 'body' | 'keptFor'>
  /** Before the token in the body. */
  bodyStart?: string
  /** The status with which the receiver refuses what is sent, and is well. */
  refusalStatus?: number
  key: Unsigned['key']
  /** When they were made, by `monotonicNow`. */
  since: number
  /** What is not begun so soon after that is released. */
  beginWithinMs: number
}

/** `payload`: of the token that is the body. */
export type SenderRequest = Pick<Unsigned, 'payload'> & { id: number; template: RequestTemplate; traceparent?: string }

type Options = {
  egress: Pick<EgressClient, 'post'>
  limits: ConcurrencyLimits
  onBegun: (id: number) => void
  onSetAside: (id: number, concurrency: Concurrency) => void
  onEnded: (id: number, end: AttemptEnd) => void
}

export type Signed = { jwt: string } | { problem: string }

/** Failures that are not the receiver's: there was no socket for the request, or a stop broke it off. */
const ownFailures: Record<string, ReleaseReason | undefined> = {
  no_descriptors: 'no_descriptors',
  stopped: 'interrupted',
}

type RunningTime = ReturnType<typeof createRunningTime>

export function createRequests(options: Options) {
  const time = createRunningTime(tickMs)
  const slots = createRequestSlots(options.limits, time.now)
  return {
    add: (requests: SenderRequest[]) => slots.add(toWaiting(requests, options, time)),
    /** Releases what is not begun of that webhook or organization. */
    revoke: (id: string) => slots.release('revoked', (request) => belongsTo(request, id)),
    /** To be called every `tickMs`. */
    tick() {
      time.tick()
      slots.setAsideOverdue()
      slots.releaseSlow(maxWaitMs)
    },
    /** Releases all that is not begun. */
    releaseAll: () => slots.release('stopping', () => true),
  }
}

const toWaiting = (requests: SenderRequest[], options: Options, time: RunningTime) =>
  partsOf(requests).flatMap((part) => {
    const sign = signOnce(part)
    return part.map((request, index): WaitingRequest => {
      const { id, template } = request
      return {
        organizationId: template.organizationId,
        webhookId: template.webhookId,
        isHealthy: template.isHealthy,
        concurrency: template.concurrency,
        isLate: () => isLate(request),
        run: (onSeen) => run(request, () => sign()[index] as Signed, onSeen, options, time),
        onSetAside: (concurrency) => options.onSetAside(id, concurrency),
        release: (reason, observation) => options.onEnded(id, { kind: 'released', reason, observation }),
      }
    })
  })

async function run(
  request: SenderRequest,
  sign: () => Signed,
  onSeen: Parameters<WaitingRequest['run']>[0],
  { egress, onBegun, onEnded }: Options,
  time: RunningTime,
) {
  const { id, template, traceparent } = request
  if (isLate(request)) return onEnded(id, { kind: 'released', reason: 'too_late' })
  const afterMs = waitedMs(request)
  const signed = sign()
  if ('problem' in signed) return onEnded(id, { kind: 'released', reason: 'not_signed', problem: signed.problem })
  const begunAt = time.now()
  const { call, organizationId } = template
  const posted = egress.post({
    ...call,
    keptFor: organizationId,
    headers: traceparent ? [...call.headers, 'traceparent', traceparent] : call.headers,
    body: (template.bodyStart ?? '') + signed.jwt,
  })
  onBegun(id)
  const outcome = await posted
  const reason = outcome.kind === 'failed' && ownFailures[outcome.error]
  if (reason) return onEnded(id, { kind: 'released', reason })
  // The log shows none of them.
  if (outcome.kind === 'answered') outcome.headers = {}
  const hasRefused = outcome.kind === 'answered' && outcome.status === template.refusalStatus
  const observation = { succeeded: isSuccess(outcome) || hasRefused, tookMs: time.now() - begunAt }
  onEnded(id, { kind: 'completed', afterMs, outcome, observation, concurrency: onSeen(observation) })
}

const waitedMs = ({ template }: SenderRequest) => monotonicNow() - template.since

const isLate = (request: SenderRequest) => waitedMs(request) > request.template.beginWithinMs

const partsOf = (requests: SenderRequest[]): SenderRequest[][] =>
  Array.from({ length: Math.ceil(requests.length / signedTogether) }, (_, n) =>
    requests.slice(n * signedTogether, (n + 1) * signedTogether),
  )

/** Signs all of them when the first signature is asked for. */
function signOnce(requests: SenderRequest[]): () => Signed[] {
  let signed: Signed[] | undefined
  return () => {
    signed ??= requests.map(({ payload, template: { key } }) => sign({ key, payload }))
    return signed
  }
}

/** Of requests, and of what `signatures.ts` hands over. */
function sign(unsigned: Unsigned): Signed {
  try {
    return { jwt: signJwt(unsigned) }
  } catch (error) {
    return { problem: String(error) }
  }
}

/** A busy thread ticks so late at times; what is longer is a stall. */
const lateMs = 50

/**
 * Time in which a thread ran, in milliseconds. Of a stall (its process is stopped, its machine paused or busy with others) no more
 * than `intervalMs` and a little count: no receiver became slow meanwhile. To be ticked every `intervalMs`.
 */
export function createRunningTime(intervalMs: number) {
  let ticked = { ran: 0, at: performance.now() }
  const now = () => ticked.ran + Math.min(performance.now() - ticked.at, intervalMs + lateMs)
  return {
    now,
    tick() {
      ticked = { ran: now(), at: performance.now() }
    },
  }
}

/** What ends within it is reported together: each message takes some 20 µs of both threads. */
const reportIntervalMs = 4

const nothing = (): Report => ({ begun: [], setAside: [], ended: [], done: 0 })

function createReporter(port: MessagePort) {
  let report = nothing()
  let reporting: NodeJS.Timeout | undefined
  const send = () => {
    clearTimeout(reporting)
    reporting = undefined
    port.postMessage(report)
    report = nothing()
  }
  return {
    send,
    sendDone(signed?: Signed[]) {
      report.done += 1
      if (signed) report.signed = signed
      send()
    },
    onBegun(id: number) {
      report.begun.push(id)
      send()
    },
    onSetAside(id: number, concurrency: Concurrency) {
      report.setAside.push({ id, concurrency })
      reporting ??= setTimeout(send, reportIntervalMs)
    },
    onEnded(id: number, end: AttemptEnd) {
      report.ended.push({ id, end })
      reporting ??= setTimeout(send, reportIntervalMs)
    },
  }
}

function serve(port: MessagePort, { egressOptions, limits, reportsBegun }: Setup) {
  const egress = createEgressClient(egressOptions)
  const { send, sendDone, ...reporter } = createReporter(port)
  const onBegun = reportsBegun ? reporter.onBegun : () => {}
  const requests = createRequests({ ...reporter, egress, limits, onBegun })
  const ticking = setInterval(requests.tick, tickMs)
  const close = async () => {
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
    if ('sign' in command) return sendDone(command.sign.map(sign))
    requests.revoke(command.revoke)
    sendDone()
  })
  send()
  // As `main.ts` does for its own thread: 7 MB that the start of this one has left behind (measured).
  collectGarbageSoon()
}

if (!isMainThread && parentPort && workerData?.egressOptions) serve(parentPort, workerData)
