import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, internalError, type Refusal, wrongContentType } from '../../../ground/errors.ts'
import { toApiError } from '../../../ground/http/chain/error-reply.ts'
import { ScimError, type ScimType } from '../errors.ts'
import { acceptedMediaTypes, scimMediaType, sendScim } from './media-type.ts'

type Known = Pick<ScimError, 'status' | 'scimType' | 'message' | 'headers'>

/** Any error in the dialect of SCIM; what is unexpected is logged, and the client gets the request id. */
export function toRefusal(error: unknown, request: FastifyRequest): Known {
  if (error instanceof ScimError) return error
  const known = toKnown(error, request)
  if (!known) request.log.error({ err: error, requestId: request.id }, 'request failed')
  return inScim(known ?? internalError(request.id))
}

function toKnown(error: unknown, request: FastifyRequest): ApiError | undefined {
  const isOfType = (error as { code?: string }).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
  return isOfType ? wrongContentType(acceptedMediaTypes) : toApiError(error, request)
}

/** Clients know neither 402 nor 423: the limit of a tier is a 403, and an organization that moves is away for a while. */
const statuses: Record<number, number> = { 402: 403, 423: 503 }
const movedRetrySeconds = '60'

function inScim({ status, problems, headers }: ApiError): Known {
  return {
    status: statuses[status] ?? status,
    scimType: status === 400 ? 'invalidSyntax' : undefined,
    message: problems.map(({ message }) => message).join('; '),
    headers: status === 423 ? { 'retry-after': movedRetrySeconds, ...headers } : headers,
  }
}

export const sendRefusal = (reply: FastifyReply, { status, scimType, message, headers }: Known) =>
  sendScim(reply.code(status).headers(headers), bodyOf(status, message, scimType))

const bodyOf = (status: number, detail: string, scimType?: ScimType) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType && { scimType }),
  detail,
})

/** What is refused before it is known for a request of SCIM: bytes that are no HTTP, or a method that HTTP does not have. */
export const scimErrorFor = ({ path, status, detail }: Refusal) =>
  path.startsWith('/scim/')
    ? { headers: { 'content-type': scimMediaType }, body: JSON.stringify(bodyOf(status, detail)) }
    : undefined
