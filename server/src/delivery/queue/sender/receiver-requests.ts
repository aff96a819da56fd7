/** The requests to one receiver that are under way: whether another may begin, and what their ends make of its limit. */
import type { Concurrency, RequestObservation } from '../delivery.ts'
import { downAfter, isDown, judged, maxOfReceiver, requestsAtOnce } from '../receiver-concurrency.ts'

/** A request that has run for so long without an answer is an attempt that did not succeed, as far as one can tell. */
const tellingMs = 250

export type BegunRequest = {
  number: number
  /** By the running time (`createRunningTime`). */
  since: number
  /** It is overdue, and counts no more as long as the receiver answers others. */
  isSetAside: boolean
  hasEnded: boolean
  hasSucceeded: boolean
}

export type ReceiverRequests = ReturnType<typeof createReceiverRequests>

export function createReceiverRequests(initial: Concurrency, perWebhook: number, now: () => number) {
  const most = maxOfReceiver({ perWebhook })
  let concurrency = initial
  /** The last that have begun, the newest last: enough for the last five that tell something. */
  let last: BegunRequest[] = []
  let running = 0
  let setAside = 0
  let begun = 0
  /** Failures of requests up to this one are counted in its limit already. */
  let halvedUpTo = 0

  const tells = ({ hasEnded, since }: BegunRequest) => hasEnded || now() - since >= tellingMs

  /** Whether one of the last five attempts succeeded; a claim may know of failures before. If not, all count: it hangs at everything. */
  const isAnswering = () => {
    const told = last.filter(tells).slice(-downAfter)
    return told.some(({ hasSucceeded }) => hasSucceeded) || initial.failures + told.length < downAfter
  }

  const counted = () => (setAside > 0 && !isDown(concurrency) && isAnswering() ? running - setAside : running)

  const judge = ({ number }: BegunRequest, { succeeded }: RequestObservation) => {
    const isFirst = number > halvedUpTo
    concurrency = judged(concurrency, { succeeded, isFirst }, perWebhook)
    if (!succeeded && isFirst) halvedUpTo = begun
  }

  return {
    concurrency: () => concurrency,
    isEmpty: () => running === 0,
    hasSetAside: () => setAside > 0,
    isFull: () => running >= most || counted() >= requestsAtOnce(concurrency, perWebhook),

    begin(): BegunRequest {
      begun += 1
      running += 1
      const request = { number: begun, since: now(), isSetAside: false, hasEnded: false, hasSucceeded: false }
      last.push(request)
      if (last.length > most + downAfter) last.shift()
      return request
    },

    setAside(request: BegunRequest) {
      request.isSetAside = true
      setAside += 1
    },

    /** Without an observation it was no attempt. */
    end(request: BegunRequest, observation: RequestObservation | undefined) {
      running -= 1
      if (request.isSetAside) setAside -= 1
      request.hasEnded = true
      request.hasSucceeded = observation?.succeeded ?? false
      if (observation) judge(request, observation)
      else last = last.filter((each) => each !== request)
    },
  }
}
