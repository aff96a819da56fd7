import { SignetError } from '@signet/management'
import { messagesOf } from '../design/problems.ts'

export type Chosen = { id: string; webhook_id: string }
export type Refusal = { delivery: Chosen; message: string }
export type EachProgress = { done: number; refused: readonly Refusal[] }

type Options = {
  redeliver: (delivery: Chosen) => Promise<unknown>
  /** Waits against a rate limit, in milliseconds. */
  wait: (ms: number) => Promise<unknown>
  /** Once it is aborted, no further one is begun. */
  signal: AbortSignal
}

/** Each by a call of its own, one after the other. A limit is waited for; what is refused otherwise is kept with its reason. */
export async function* redeliverEach(deliveries: readonly Chosen[], options: Options): AsyncGenerator<EachProgress> {
  let refused: readonly Refusal[] = []
  for (const [place, delivery] of deliveries.entries()) {
    if (options.signal.aborted) return
    const message = await refusalOf(delivery, options)
    if (message) refused = [...refused, { delivery, message }]
    yield { done: place + 1, refused }
  }
}

/** Undefined where it was accepted. */
async function refusalOf(delivery: Chosen, { redeliver, wait, signal }: Options): Promise<string | undefined> {
  try {
    await redeliver(delivery)
    return undefined
  } catch (error) {
    const waitMs = error instanceof SignetError && error.status === 429 ? (error.retryAfterMs ?? 1_000) : undefined
    if (waitMs === undefined) return messagesOf(error).join(' ')
    await wait(waitMs)
    if (signal.aborted) return messagesOf(error).join(' ')
    return refusalOf(delivery, { redeliver, wait, signal })
  }
}
