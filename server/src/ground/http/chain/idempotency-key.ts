import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from './operation.ts'

/** A call that may be repeated. */
export type KeyedCall = {
  organizationId: string
  apiKeyId: string
  idempotencyKey: string
  /** SHA-256 of method, address and body, byte by byte as they were sent. */
  requestHash: Buffer
}

/** `body`: as it is sent. `subjectId`: the thing with which the answer goes, because it has a secret or handles. */
export type Answer = { status: number; body: string; subjectId: string | undefined }
type Given = Pick<Answer, 'status' | 'body'> & { isReplayed: boolean }

/** Gives what `handle` answers, or what it answered when it was called with this key before. */
export type AnswerOnce = (call: KeyedCall, handle: () => Promise<Answer>) => Promise<Given>

const idempotencyKeyRule = 'must be 1 to 255 visible ASCII characters'
export const idempotencyKeyPattern = '^[!-~]{1,255}$'
const keyForm = new RegExp(idempotencyKeyPattern)

/** Every operation that creates something, or begins something, with an API key. */
export const takesIdempotencyKey = ({ method, access, storesNothing }: Operation) =>
  method === 'POST' && access === 'key' && !storesNothing

/** Of a caller with an API key of its own: the console's sessions, and the operator, have none. Returns what is wrong with it. */
export function readIdempotencyKey(request: FastifyRequest, operation: Operation): string[] {
  const key = request.headers['idempotency-key']
  if (key === undefined || request.isOfConsole || !takesIdempotencyKey(operation)) return []
  if (typeof key !== 'string' || !keyForm.test(key)) return [`Idempotency-Key: ${idempotencyKeyRule}`]
  request.idempotencyKey = key
  return []
}

export const hashOfBody = (body: Buffer) => createHash('sha256').update(body).digest()

export function keyedCallOf({ idempotencyKey, organizationId, principal, method, url, bodyHash }: FastifyRequest) {
  if (idempotencyKey === undefined || !principal) return undefined
  const requestHash = createHash('sha256').update(`${method} ${url}\n`)
  if (bodyHash) requestHash.update(bodyHash)
  return { organizationId, apiKeyId: principal.id, idempotencyKey, requestHash: requestHash.digest() }
}

/** `content`: the whole reply. Its bytes must be known before the commit. */
export function toAnswer(content: unknown, { status, confidentialOf }: Operation, reply: FastifyReply): Answer {
  const { result } = content as { result?: Record<string, string> }
  const body = reply.code(status).serialize(content) as string
  return { status, body, subjectId: confidentialOf && result?.[confidentialOf] }
}

export function sendAnswer({ status, body, isReplayed }: Given, reply: FastifyReply) {
  if (isReplayed) reply.header('idempotent-replayed', 'true')
  return reply.code(status).type('application/json; charset=utf-8').header('cache-control', 'no-store').send(body)
}

/** Throws where an operation takes the header and answers with anything but one JSON text. */
export function checkAnswers(operations: Operation[]) {
  for (const operation of operations) {
    const { id, status, paged, bare, otherMediaTypes, eventStream } = operation
    const isJson = status !== 204 && !paged && !bare && !otherMediaTypes && !eventStream
    if (takesIdempotencyKey(operation) && !isJson) throw new Error(`${id}: its answer cannot be kept`)
  }
}
