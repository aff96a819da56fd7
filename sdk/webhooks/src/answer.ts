import type { Refusal } from './deny.ts'
import { checkReceiver, type Receiver, verifyWebhook } from './verify-webhook.ts'
import type { Webhook } from './webhook.ts'
import { WebhookError } from './webhook-error.ts'

/** Claims that a synchronous hook adds to the token: any JSON, 8 KiB in total. */
export type TokenClaims = Record<string, unknown>
type Awaitable<Value> = Value | Promise<Value>

export type HandlerOptions = Receiver & {
  /**
   * Called with a verified webhook. For token_minted it may return claims for the token, or a refusal made by `deny`. When it throws,
   * the response is 500, and Signet sends the webhook again.
   */
  handle: ((webhook: Webhook) => Awaitable<TokenClaims | Refusal | undefined>) | ((webhook: Webhook) => Awaitable<void>)
  /**
   * Whether the event with this `sub` was handled before: the response is then 204, and `handle` is not called. Called for
   * events only, because each attempt of a hook needs its claims. It must only read: `handle` stores the `sub`, in the same
   * transaction as its own changes.
   */
  seen?: (sub: string) => Awaitable<boolean>
  /** Called when a request is refused or its body cannot be read, and when `handle` or `seen` throws. Default: `console.error`. */
  onError?: (error: unknown) => unknown
}

type Answer = { status: number; headers: Record<string, string>; body: string }

export type Receiving = {
  /** The response of 6.2: 2XX when the webhook was handled, otherwise another status. Never rejects. */
  answer(read: () => Awaitable<string | Uint8Array>): Promise<Answer>
  /** Calls `onError`. Never throws: an error in reporting must not end the receiver's process. */
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
  const answer = await handle(webhook)
  if (!isHook || !answer) return empty(204)
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) }
}

const empty = (status: number): Answer => ({ status, headers: {}, body: '' })

function statusOf(error: unknown): number {
  if (!(error instanceof WebhookError)) return 500
  if (error.code === 'keys_unavailable') return 503
  // A mistake of ours: Signet sends it again until that is mended.
  if (error.code === 'wrong_setting') return 500
  return error.code === 'too_large' ? 413 : 401
}
