import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Act, type RecordChange, toAct } from '../../ground/http/chain/recorded-change.ts'
import type { Sessions } from './sessions.ts'

type Dependencies = { sessions: Sessions; recordAs: (act: Act) => RecordChange }

/** Signs out of one organization, or as the operator. The browser's other sessions go on. */
export const deleteSession =
  ({ sessions, recordAs }: Dependencies) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const session = await sessions.openSession(request)
    request.principal = session.principal
    request.isOfConsole = true
    const cookie = await sessions.end(session, recordAs(toAct(request, 'deleteConsoleSession')))
    return reply.code(204).header('set-cookie', cookie).send()
  }
