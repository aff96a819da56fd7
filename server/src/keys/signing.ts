import { Worker } from 'node:worker_threads'
import { keepNewest } from '../keep-newest.ts'
import { signJwt, type Unsigned } from './sign-jwt.ts'
import type { SigningKey } from './signing-key.ts'
import type { Order, Settings } from './signing-thread.ts'

/** From so many tokens on, the way to the thread and back costs this one less than to sign them itself. */
const worthSending = 16
/** That the thread keeps, 4 kB each. */
const defaultMaxKeys = 5_000

export type Signing = {
  /** JWTs, in the order of the tokens. Never rejects. */
  sign(tokens: Unsigned[]): Promise<string[]>
  close(): Promise<void>
}

/**
 * Signs a few tokens here and many in a thread of its own, which is started with the first of those. There a signature
 * takes 25 µs, between other work 43 (measured), and this thread is free for that work. What the thread does not sign,
 * because it does not run yet or any more, is signed here.
 */
export function openSigning(onError: (error: unknown) => void, maxKeys = defaultMaxKeys): Signing {
  let thread: ReturnType<typeof startThread> | undefined
  return {
    sign: async (tokens) => {
      if (tokens.length < worthSending) return tokens.map(signJwt)
      thread ??= startThread(onError, maxKeys)
      return (await thread.sign(tokens)) ?? tokens.map(signJwt)
    },
    close: async () => {
      await thread?.end()
    },
  }
}

function startThread(onError: (error: unknown) => void, maxKeys: number) {
  const thread = new Worker(new URL('./signing-thread.ts', import.meta.url), {
    workerData: { maxKeys } satisfies Settings,
  })
  const waiting: ((jwts?: string[]) => void)[] = []
  /** The thread's own map has the same, for it is told in the same order. */
  const kept = new Map<string, true>()
  let isRunning = false
  thread.unref()
  thread.on('online', () => {
    isRunning = true
  })
  thread.on('message', (jwts: string[]) => waiting.shift()?.(jwts))
  thread.on('error', onError)
  thread.on('exit', () => {
    isRunning = false
    for (const answer of waiting.splice(0)) answer()
  })

  const toSend = (key: SigningKey): SigningKey | string => {
    if (kept.has(key.kid)) return key.kid
    keepNewest(kept, key.kid, true, maxKeys)
    return key
  }
  return {
    /** Undefined when it does not run. Answers come in the order of what was sent. */
    sign: async (tokens: Unsigned[]): Promise<string[] | undefined> => {
      if (!isRunning) return undefined
      const keys = tokens.map(({ key }) => toSend(key))
      thread.postMessage({ keys, payloads: tokens.map(({ payload }) => payload) } satisfies Order)
      return new Promise((resolve) => waiting.push(resolve))
    },
    end: () => thread.terminate(),
  }
}
