import { checkReceiver, type Receiver, verifyWebhook } from './verify-webhook.ts'
import type { Webhook } from './webhook.ts'
import { WebhookError } from './webhook-error.ts'

/** What a synchronous hook adds to the token: any JSON, 8 KiB in all. */
export type TokenClaims = Record<string, unknown>
type Awaitable<Value> = Value | Promise<Value>

export type HandlerOptions = Receiver & {
  /**
   * Called with what is verified. For token_minted it may give claims for the token. When it throws, the answer is 500, and
   * Signet calls again.
   */
  handle: ((webhook: Webhook) => Awaitable<TokenClaims | undefined>) | ((webhook: Webhook) => Awaitable<void>)
  /**
   * Whether the event with this `sub` was handled before: it is then answered with 204 and not handled again. Asked for
   * events alone, for each attempt of a hook wants its claims. It must only look: `handle` writes the `sub` down, in the
   * transaction of what it does.
   */
  seen?: (sub: string) => Awaitable<boolean>
  /** Told why a request was refused or not answered, and what `handle` or `seen` threw. Default: `console.error`. */
  onError?: (error: unknown) => unknown
}

export type Answer = { status: number; headers: Record<string, string>; body: string }

export type Receiving = {
  /** Answers as 6.2 expects it: 2XX for what is done, anything else for what is not. Never rejects. */
  answer(read: () => Awaitable<string | Uint8Array>): Promise<Answer>
  /** Tells `onError`. Never throws: an error in reporting must not end the process of the receiver. */
  report(error: unknown): void
}

export function createReceiving(options: HandlerOptions): Receiving {
  checkReceiver(options)
  const { onError = console.error } = options
  const tell = async (error: unknown) => onError(error)
  const report = (error: unknown) => void tell(error).catch((thrown) => console.error(error, thrown))
  const answer = async (read: () => Awaitable<string | Uint8Array>) => {
    try {
      return await act(await verifyWebhook(await read(), options), options)
    } catch (error) {
      report(error)
      return empty(statusOf(error))
    }
  }
  return { answer, report }
}

async function act(webhook: Webhook, { handle, seen }: HandlerOptions): Promise<Answer> {
  const isHook = webhook.trigger_type === 'sync_hook'
  if (!isHook && (await seen?.(webhook.sub))) return empty(204)
  const claims = await handle(webhook)
  if (!isHook || !claims) return empty(204)
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(claims) }
}

const empty = (status: number): Answer => ({ status, headers: {}, body: '' })

function statusOf(error: unknown): number {
  if (!(error instanceof WebhookError)) return 500
  if (error.code === 'keys_unavailable') return 503
  return error.code === 'too_large' ? 413 : 401
}
