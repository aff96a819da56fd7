import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed } from '../../ground/errors.ts'
import { refusePrefetch } from '../../ground/http/chain/prefetch.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import type { CallerLimit } from '../../ground/http/socket/rate-limit.ts'
import { type BeginDependencies, beginSignIn } from './begin-sign-in.ts'
import { type FinishDependencies, finishSignIn } from './finish-sign-in.ts'
import { getSignInOptions, type OptionsDependencies } from './sign-in-options.ts'

export type SignInRoutes = BeginDependencies & FinishDependencies & OptionsDependencies & { callers: CallerLimit }

const beginUrl = '/console/sign-in'
const optionsUrl = '/console/sign-in/options'
const callbackUrl = '/console/callback'
/** Without HEAD, which would begin or end a sign-in. */
const unlisted = { exposeHeadRoute: false }

/** The way into the console through the issuer of the organization. A browser opens the first and the last; a page asks for the options. */
export function serveConsoleSignIn(app: FastifyInstance, dependencies: SignInRoutes) {
  app.register(async (routes) => {
    routes.addHook('onRequest', async (request) => dependencies.callers.takeAddress(clientAddress(request)))
    routes.route({
      method: 'GET',
      url: optionsUrl,
      onRequest: refuseOthers(dependencies),
      handler: getSignInOptions(dependencies),
    })
    routes.route({ method: 'GET', url: beginUrl, ...unlisted, onRequest: refusePrefetch, ...beginSignIn(dependencies) })
    routes.route({
      method: 'GET',
      url: callbackUrl,
      ...unlisted,
      onRequest: refusePrefetch,
      handler: finishSignIn(dependencies),
    })
    for (const url of [beginUrl, optionsUrl, callbackUrl])
      routes.route({ method: ['DELETE', 'PATCH', 'POST', 'PUT'], url, handler: refuseMethod })
  })
}

const refuseOthers =
  ({ sessions }: Pick<SignInRoutes, 'sessions'>) =>
  async ({ headers }: FastifyRequest, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store')
    sessions.requireOpenedPage(headers)
  }

const refuseMethod = () => {
  throw methodNotAllowed(['GET'])
}
