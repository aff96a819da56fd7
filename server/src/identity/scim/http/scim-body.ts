import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { unavailable } from '../../../ground/errors.ts'
import { parseJson, requireUtf8 } from '../../../ground/http/chain/json-body.ts'
import { createTurns, type Turns } from '../../../ground/runtime/turns.ts'
import { invalidSyntax, tooLarge } from '../errors.ts'
import { acceptedMediaTypes } from './media-type.ts'
import { parseInThread } from './parse-in-thread.ts'

/** A larger body is parsed in a thread. */
const maxParsedHere = 1_048_576
/** Larger bodies in memory at once: they are read no further until it is their turn. */
const largeAtOnce = { total: 4, ofOrganization: 2 }
/** Its request has half a minute to arrive. */
const turnWaitMs = 10_000

/** The routes of `scope` take JSON under both its names. */
export function readScimBodies(scope: FastifyInstance) {
  const turns = createTurns({ total: () => largeAtOnce.total, perOrganization: () => largeAtOnce.ofOrganization })
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(acceptedMediaTypes, (request: FastifyRequest, payload: Readable) =>
    readBody(request, payload, turns),
  )
}

/** Throws a 413 for a body whose length says that it is too large. */
export function refuseLongBody({ headers, routeOptions: { bodyLimit } }: FastifyRequest) {
  if (Number(headers['content-length'] ?? 0) > bodyLimit) throw bodyTooLarge(bodyLimit)
}

const bodyTooLarge = (bytes: number) =>
  tooLarge(`body: must be at most ${bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : `${bytes / 1_024} KiB`}`)

async function readBody(request: FastifyRequest, payload: Readable, turns: Turns): Promise<unknown> {
  requireUtf8(request.headers)
  const { bodyLimit } = request.routeOptions
  // Destroying what is left of it would close the connection before the answer.
  const pieces = payload.iterator({ destroyOnReturn: false })
  const body: Body = { pieces, chunks: [], length: 0 }
  await readUpTo(body, Math.min(bodyLimit, maxParsedHere))
  if (body.length <= maxParsedHere && body.length <= bodyLimit) return parseHere(body)
  return turns.takeWithin(turnWaitMs, request.organizationId, () => readLarge(body, bodyLimit), refuse)
}

type Body = { pieces: AsyncIterator<Buffer>; chunks: Buffer[]; length: number }

/** Reads to the end, or until there is more than that. */
async function readUpTo(body: Body, bytes: number) {
  while (body.length <= bytes) {
    const { done, value } = await body.pieces.next().catch(refuseBroken)
    if (done) return
    body.chunks.push(value)
    body.length += value.length
  }
}

/** The client has left, or its connection is lost. */
function refuseBroken(): never {
  throw invalidSyntax('body: must arrive whole')
}

/** Clients name a type also where they send nothing. */
const parseHere = ({ chunks, length }: Body) => (length === 0 ? undefined : parseJson(Buffer.concat(chunks, length)))

async function readLarge(body: Body, bodyLimit: number): Promise<unknown> {
  await readUpTo(body, bodyLimit)
  if (body.length > bodyLimit) throw bodyTooLarge(bodyLimit)
  return parseInThread(Buffer.concat(body.chunks, body.length))
}

function refuse(): never {
  throw unavailable()
}

export function requireObject(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw invalidSyntax('body: must be a JSON object')
}
