import type { FastifyInstance, FastifyRequest } from 'fastify'
import { onBehalfOf } from '../../database/connection-turns.ts'

/**
 * What a request asks of the database counts as its organization's. Those that name none, such as the operator's, have one share for
 * each route.
 */
export function shareConnections(app: FastifyInstance) {
  app.addHook('preHandler', (request, _reply, done) => onBehalfOf(shareOf(request), done))
}

function shareOf({ organizationId, params, routeOptions }: FastifyRequest): string {
  const { organization_id: inPath } = (params ?? {}) as { organization_id?: string }
  return organizationId || inPath?.toLowerCase() || (routeOptions.url ?? 'none')
}
