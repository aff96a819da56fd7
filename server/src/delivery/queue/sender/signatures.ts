import { unavailable } from '../../../ground/errors.ts'
import type { Unsigned } from '../../../ground/keys/index.ts'
import { createFairQueue } from '../../../ground/runtime/fair-queue.ts'
import type { Signed } from './thread.ts'

/** Signatures in one message: half a millisecond of the thread, in which no request begins. */
const atOnce = 16

/** Signs for somebody else to send. Throws a 503 where it cannot be done now. */
type Sign = (organizationId: string, unsigned: Unsigned) => Promise<string>

type Waiting = { unsigned: Unsigned; resolve: (jwt: string) => void; reject: (error: unknown) => void }

/**
 * Signatures of the sender thread: one message at a time, in which organizations take turns. However much one of them wants signed,
 * the others, and deliveries, wait for no more than one message. `signTogether`: undefined where the thread has failed.
 */
export function createSignatures(signTogether: (unsigned: Unsigned[]) => Promise<Signed[] | undefined>): Sign {
  const queue = createFairQueue<Waiting>()
  let isUnderWay = false

  const take = (): Waiting[] => {
    const taken: Waiting[] = []
    for (const organizationId of queue.organizations()) {
      if (taken.length === atOnce) break
      const next = queue.take(organizationId)
      if (next) taken.push(next)
    }
    return taken
  }

  const signAll = async () => {
    const jobs = take()
    const signed = await signTogether(jobs.map(({ unsigned }) => unsigned)).catch(() => undefined)
    for (const [index, { resolve, reject }] of jobs.entries()) {
      const result = signed?.[index]
      if (result && 'jwt' in result) resolve(result.jwt)
      else reject(unavailable())
    }
    if (queue.size() > 0) void signAll()
    else isUnderWay = false
  }

  return (organizationId, unsigned) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    queue.add(organizationId, { unsigned, resolve, reject })
    // What is asked for in one turn of the event loop goes together.
    if (!isUnderWay) setImmediate(signAll)
    isUnderWay = true
    return promise
  }
}
