import { Signet } from '@signet/management'
import { serviceUrl } from '../service/address.ts'
import type { Call } from '../service/signet.ts'

/** `file`: the media type of a body that is no JSON. */
export type RecordedRequest = { method: string; url: string; body: unknown; file?: string }

/** What a call would send, one request after the other: it is made with a client that sends nothing. */
export async function recordRequests(call: Call): Promise<RecordedRequest[]> {
  const requests: Request[] = []
  const record: typeof fetch = async (input) => {
    requests.push(input as Request)
    return new Response(null, { status: 204 })
  }
  await call(new Signet({ baseUrl: serviceUrl, fetch: record, retries: 0 })).catch(() => undefined)
  return Promise.all(requests.map(toRecorded))
}

async function toRecorded(request: Request): Promise<RecordedRequest> {
  const { method, url, headers } = request
  const type = headers.get('content-type')
  if (type && !type.startsWith('application/json')) return { method, url, body: undefined, file: type }
  const text = await request.text()
  return { method, url, body: text ? JSON.parse(text) : undefined }
}
