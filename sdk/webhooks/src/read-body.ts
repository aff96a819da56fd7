import { WebhookError } from './webhook-error.ts'

/** Bytes. Far above what Signet sends: an event of a person in a thousand groups has about 160 kB. */
export const maxBodyBytes = 2_097_152

/** Reads a body as text. Stops after `limit` bytes with `too_large`. A stream that something else has set to an encoding gives text. */
export async function readBody(
  chunks: AsyncIterable<Uint8Array | string>,
  limit: number = maxBodyBytes,
): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limit) throw tooLarge(limit)
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** What a parser left as it came, as text or bytes. */
export const isUnparsed = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array

export const tooLarge = (limit: number) => new WebhookError('too_large', `body: must be at most ${limit} bytes`)

export const consumed = () =>
  new WebhookError('malformed', 'body: has been read by something else; let no parser read application/jwt before')

export const encodedAs = (encoding: string) =>
  new WebhookError('malformed', `body: is read as ${encoding}; leave out request.setEncoding('${encoding}')`)
