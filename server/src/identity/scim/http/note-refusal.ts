import type { FastifyRequest } from 'fastify'
import type { Database } from '../../../ground/database/database.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { makeId } from '../../../ground/runtime/identifiers.ts'
import { recordRefusal } from '../../directories/index.ts'
import { pathBelow } from './unrouted.ts'

const told = 'a directory was refused'

type Refused = { status: number; message: string }

/**
 * Keeps what a directory was refused, for whoever runs it. Not what heals by itself, nor that somebody is not there whom a client looks
 * for, which is how it finds out.
 */
const isTold = ({ method }: FastifyRequest, status: number) =>
  status !== 401 && status !== 429 && status !== 503 && !(status === 404 && (method === 'GET' || method === 'HEAD'))

export const createNoteRefusal =
  ({ database, clock }: { database: Database; clock: Clock }) =>
  async (request: FastifyRequest, { status, message }: Refused) => {
    const { admitted, organizationId, method } = request
    if (!admitted || !isTold(request, status)) return
    const { id: directory_id } = admitted.directory
    const { url: route } = request.routeOptions
    // Not what the answer said, where words of the client may stand.
    request.log.info(
      { organization_id: organizationId, directory_id, method, route, status, requestId: request.id },
      told,
    )
    const now = clock.now()
    const refusal = { id: makeId(now), at: new Date(now), method, path: pathBelow(request), status, detail: message }
    try {
      await recordRefusal(database.write, organizationId, directory_id, refusal)
    } catch (error) {
      // The client needs its answer, whatever becomes of this.
      request.log.warn({ err: error, requestId: request.id }, 'the refusal of a directory was not kept')
    }
  }
