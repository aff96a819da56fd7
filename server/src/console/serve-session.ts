import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed, notOfConsole } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import type { CallerLimit } from '../http/rate-limit.ts'
import { type CreateDependencies, createSession } from './create-session.ts'
import { deleteSession } from './delete-session.ts'
import { type GetDependencies, getSession } from './get-session.ts'

const url = '/console/session'
/** Two keys take a few hundred. */
const bodyLimit = 4_096

/** What signing in and out is called in the audit log. */
export const sessionActions = ['createConsoleSession', 'deleteConsoleSession']

export type SessionRoutes = CreateDependencies & GetDependencies & { callers: CallerLimit }

/** Another page could otherwise sign a browser in or out, or use up the attempts of its address. */
export function serveSession(app: FastifyInstance, dependencies: SessionRoutes) {
  // Refused attempts are counted in the database: whoever floods it with them is refused before.
  const onRequest = async (request: FastifyRequest) => dependencies.callers.takeAddress(clientAddress(request))
  app.register(async (routes) => {
    routes.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
      reply.header('cache-control', 'no-store')
      if (!dependencies.sessions.isOfOwnPage(request.headers)) throw notOfConsole()
    })
    routes.route({ method: 'POST', url, bodyLimit, onRequest, ...createSession(dependencies) })
    routes.route({ method: 'GET', url, handler: getSession(dependencies) })
    routes.route({ method: 'DELETE', url, handler: deleteSession(dependencies) })
    const refuse = () => {
      throw methodNotAllowed(['DELETE', 'GET', 'POST'])
    }
    routes.route({ method: ['PATCH', 'PUT'], url, handler: refuse })
  })
}
