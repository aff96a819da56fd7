import { Signet } from '@signet/management'
import { serviceUrl } from './address.ts'
import type { Call } from './signet.ts'

export type RecordedRequest = { method: string; url: string; body: unknown }

/** What a call would send: it is made with a client that sends nothing. */
export async function recordRequest(call: Call): Promise<RecordedRequest | undefined> {
  let recorded: Request | undefined
  const record: typeof fetch = async (input) => {
    recorded = input as Request
    return new Response(null, { status: 204 })
  }
  await call(new Signet({ baseUrl: serviceUrl, fetch: record, retries: 0 })).catch(() => undefined)
  if (!recorded) return undefined
  const text = await recorded.text()
  return { method: recorded.method, url: recorded.url, body: text ? JSON.parse(text) : undefined }
}
