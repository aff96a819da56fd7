import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'
import { isUuid, makeId } from '../../runtime/identifiers.ts'
import { clientAddress } from '../socket/client-address.ts'
import { requireRecentSignIn } from './authentication.ts'
import type { Operation, OperationInput } from './operation.ts'
import { type Act, type RecordChange, toAct } from './recorded-change.ts'
import { userAgentOf } from './user-agent.ts'

const noBytes = Buffer.alloc(0)

/** What the handler of an operation gets. */
export function toInput(
  request: FastifyRequest,
  operation: Operation,
  { clock, recordAs }: { clock: Clock; recordAs: (act: Act) => RecordChange },
): Omit<OperationInput<never, never, never>, 'mediaType' | 'live'> {
  const correlationId = request.headers['service-correlation-id']
  const ownId = typeof correlationId === 'string' && isUuid(correlationId) ? correlationId.toLowerCase() : undefined
  return {
    organizationId: request.organizationId,
    principal: request.principal,
    isAdmin: request.principal?.isAdmin ?? false,
    consoleSessionId: request.consoleSessionId,
    requireRecentSignIn: () => requireRecentSignIn(request),
    params: request.params as never,
    query: request.query as never,
    body: request.body as never,
    bytes: Buffer.isBuffer(request.body) ? request.body : noBytes,
    limits: request.principal?.limits ?? {},
    caller: {
      correlationId: ownId ?? makeId(clock.now()),
      clientAddress: clientAddress(request),
      userAgent: userAgentOf(request),
      by: request.isOfConsole ? 'console' : 'api',
    },
    record: recordAs(toAct(request, operation.id)),
    bearer: bearerIn(request.headers.authorization),
  }
}

/** The bearer token of `Authorization` (RFC 6750, 2.1). Empty: the header is something else. */
export const bearerIn = (header: string | undefined) => header && (/^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1] ?? '')
