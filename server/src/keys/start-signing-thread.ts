import { Worker } from 'node:worker_threads'
import type { Unsigned } from './sign-jwt.ts'
import type { Answer, Order } from './signing-thread.ts'

/**
 * For an order, which takes some 60 ms of a core behind all that may be under way. A thread that takes longer, or gets no core
 * for so long, is given up; less than what waits for a call may wait, so that no receiver seems slow for it.
 */
const answerWaitMs = 500

export type SigningThread = {
  /** JWTs, in the order of the tokens; undefined when the thread does not sign them. Never rejects. */
  sign(tokens: Unsigned[]): Promise<string[] | undefined>
  end(): Promise<unknown>
}

/** What comes and goes there is small, and would have as much room as in the service itself. */
const resourceLimits = { maxYoungGenerationSizeMb: 24 }

/** Throws when no thread can be started. `onEnd` is told why it ended, if that is known. */
export function startSigningThread(onEnd: (error?: unknown) => void): SigningThread {
  const worker = new Worker(new URL('./signing-thread.ts', import.meta.url), { resourceLimits })
  const waiting = new Map<number, (jwts?: string[]) => void>()
  let isReady = false
  let lastId = 0
  let failure: unknown

  const endAll = () => {
    isReady = false
    for (const give of waiting.values()) give()
  }
  const giveUp = (error: unknown) => {
    failure ??= error
    endAll()
    void worker.terminate()
  }
  worker.unref()
  worker.on('message', (answer: Answer) => {
    if (answer === 'ready') isReady = true
    else waiting.get(answer.id)?.(answer.jwts)
  })
  worker.on('error', giveUp)
  worker.on('messageerror', giveUp)
  worker.on('exit', () => {
    endAll()
    onEnd(failure)
  })

  const wait = (id: number): Promise<string[] | undefined> => {
    const { promise, resolve } = Promise.withResolvers<string[] | undefined>()
    // In two halves: after a stall of this thread, or of the whole process, its answer may be here and not be read yet.
    let deadline = setTimeout(() => {
      deadline = setTimeout(giveUp, answerWaitMs / 2, new Error('the thread that signs did not answer'))
    }, answerWaitMs / 2)
    waiting.set(id, (jwts) => {
      clearTimeout(deadline)
      waiting.delete(id)
      resolve(jwts)
    })
    return promise
  }

  return {
    sign: async (tokens) => {
      if (!isReady) return undefined
      const id = ++lastId
      const answered = wait(id)
      try {
        worker.postMessage({ id, tokens: tokens.map(({ key, payload }) => ({ key, payload })) } satisfies Order)
      } catch (error) {
        giveUp(error)
      }
      return answered
    },
    end: () => worker.terminate(),
  }
}
