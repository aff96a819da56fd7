import { Signet } from '@signet/management'
import { serviceUrl } from '../service/address.ts'
import type { Call } from '../service/signet.ts'

/** `file`: the media type of a body that is no JSON. */
export type RecordedRequest = { method: string; url: string; body: unknown; file?: string }

/** What a call would send, one request after the other: it is made with a client that sends nothing. */
export const recordRequests = async (call: Call): Promise<RecordedRequest[]> =>
  Promise.all((await makeCall(call)).map(toRecorded))

/** The same as a text, to be compared: of a file its type and its length. */
export const describeRequests = async (call: Call): Promise<string> =>
  JSON.stringify(await Promise.all((await makeCall(call)).map(describe)))

async function makeCall(call: Call): Promise<Request[]> {
  const requests: Request[] = []
  const record: typeof fetch = async (input) => {
    requests.push(input as Request)
    return new Response(null, { status: 204 })
  }
  const client = new Signet({ baseUrl: serviceUrl, fetch: record, retries: 0 })
  await Promise.resolve()
    .then(() => call(client))
    .catch(() => undefined)
  return requests
}

async function describe(request: Request) {
  const { method, url, headers } = request
  const type = headers.get('content-type')
  return [method, url, type, isFile(type) ? (await request.blob()).size : await request.text()]
}

const isFile = (type: string | null) => type !== null && !type.startsWith('application/json')

async function toRecorded(request: Request): Promise<RecordedRequest> {
  const { method, url, headers } = request
  const type = headers.get('content-type')
  if (isFile(type)) return { method, url, body: undefined, file: type as string }
  const text = await request.text()
  return { method, url, body: text ? JSON.parse(text) : undefined }
}
