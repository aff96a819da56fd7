import { signJwt, type Unsigned } from './sign-jwt.ts'
import { type SigningThread, startSigningThread } from './start-signing-thread.ts'

/** From so many tokens on, the way to the thread and back costs this one less than to sign them itself. */
export const worthSending = 16
/** From the start of a thread that ended to that of the next. */
const restartMs = 60_000

export type Signing = {
  /** JWTs, in the order of the tokens. Rejects when a key cannot sign. */
  sign(tokens: Unsigned[]): Promise<string[]>
  close(): Promise<void>
}

/**
 * Signs a few tokens here and many in a thread of its own, which is started with the first of those. There a signature
 * takes 25 µs, between other work 43 (measured), and this thread is free for that work. What the thread does not sign,
 * because it is not ready, could not be started, has ended or does not answer, is signed here.
 */
export function openSigning(onError: (error: unknown) => void): Signing {
  let thread: SigningThread | undefined
  let startsAgainAt = Number.NEGATIVE_INFINITY

  const onEnd = (error?: unknown) => {
    thread = undefined
    if (error !== undefined) onError(error)
  }
  const findThread = (): SigningThread | undefined => {
    if (thread || performance.now() < startsAgainAt) return thread
    startsAgainAt = performance.now() + restartMs
    try {
      thread = startSigningThread(onEnd)
    } catch (error) {
      onError(error)
    }
    return thread
  }

  return {
    sign: async (tokens) => {
      const signed = tokens.length < worthSending ? undefined : await findThread()?.sign(tokens)
      return signed ?? tokens.map(signJwt)
    },
    close: async () => {
      startsAgainAt = Number.POSITIVE_INFINITY
      await thread?.end()
    },
  }
}
