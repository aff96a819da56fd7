import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findApplication } from '../applications/index.ts'
import { methodNotAllowed } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { withFragment } from '../http/own-fragment.ts'
import type { CallerLimit } from '../http/rate-limit.ts'
import type { Onward } from '../issuer/index.ts'
import { findOrganization } from '../organizations/index.ts'
import { onwardPage, type Page, pageHeaders, renderPage } from '../pages/index.ts'
import { isUuid } from '../runtime/identifiers.ts'
import { callback } from './callback.ts'
import type { Dependencies } from './dependencies.ts'
import { readFlowCookies } from './flow-cookie.ts'
import { chooseProvider, type Opened, openFlow } from './open-flow.ts'
import { choicePage, lostPage, waitingPage } from './sign-in-pages.ts'
import { type FlowPath, findVisitor, type Visitor } from './visitor.ts'

/** The one field of the page. */
const maxFormBytes = 1_024
const flowPath = '/sso/flows/:organization_id/:uid'
const callbackPath = '/sso/callback/:credential_id'
/** Of a browser whose sign-in is being finished: no oftener, for its requests are counted. */
const askAgainSeconds = 2
/** Not in the reference; and no look at the headers alone, which would use up a callback. */
const unlisted = { exposeHeadRoute: false }

type FlowRequest = FastifyRequest<{ Params: FlowPath }>
type CallbackRequest = FastifyRequest<{ Params: { credential_id: string } }>

/** The routes that a person's browser takes. They answer with redirects and pages, and never in the envelope. */
export function serveSignIn(app: FastifyInstance, dependencies: Dependencies, limit: CallerLimit) {
  app.register(async (routes) => {
    routes.addHook('onRequest', async (request) => limit.takeAddress(clientAddress(request)))
    const form = { parseAs: 'string', bodyLimit: maxFormBytes } as const
    routes.addContentTypeParser('application/x-www-form-urlencoded', form, (_request, body, done) =>
      done(null, new URLSearchParams(String(body))),
    )
    const serve = async (request: FlowRequest, reply: FastifyReply, step: (visitor: Visitor) => Promise<Opened>) => {
      const visitor = await findVisitor(request, dependencies)
      if (!visitor) return sendOn(reply, undefined)
      limit.takeOrganization(visitor.organizationId)
      // Another tab has finished: there is nothing to do but to go back.
      if (visitor.interaction.hasResult) return sendOn(reply, { to: visitor.interaction.returnTo })
      return answer(reply, visitor, await step(visitor), dependencies)
    }
    routes.get(flowPath, unlisted, (request: FlowRequest, reply) =>
      serve(request, reply, (visitor) => openFlow(visitor, dependencies)),
    )
    routes.post(flowPath, unlisted, (request: FlowRequest, reply) =>
      serve(request, reply, (visitor) => chooseProvider(visitor, chosenIn(request.body), dependencies)),
    )
    refuseOthers(routes, flowPath, ['GET', 'POST'])
    refuseOthers(routes, callbackPath, ['GET'])
    routes.get(callbackPath, unlisted, async (request: CallbackRequest, reply) => {
      // Its organization was counted as the flow began; without a flow a callback does nothing.
      const called = readCalled(request, dependencies)
      const answered = called && (await callback(called, dependencies))
      if (answered !== 'being finished') return sendOn(reply, answered)
      return sendPage(reply.header('refresh', String(askAgainSeconds)), 200, waitingPage)
    })
  })
}

function refuseOthers(routes: FastifyInstance, url: string, methods: string[]) {
  const onRequest = () => {
    throw methodNotAllowed(methods)
  }
  const method = routes.supportedMethods.filter((name) => !methods.includes(name))
  routes.route({ method, url, ...unlisted, onRequest, handler: onRequest })
}

/** Undefined: there cannot be such a credential. */
function readCalled(request: CallbackRequest, { baseUrl, isSecure }: Dependencies) {
  const credentialId = request.params.credential_id.toLowerCase()
  if (!isUuid(credentialId)) return undefined
  const answer = new URL(request.url, baseUrl).searchParams
  const cookies = readFlowCookies(request.headers.cookie, isSecure)
  return { credentialId, state: answer.get('state') ?? '', answer, cookies }
}

/** Undefined: the person cancelled. */
function chosenIn(body: unknown): string | undefined {
  const fields = body instanceof URLSearchParams ? body : new URLSearchParams()
  return fields.has('cancel') ? undefined : (fields.get('credential') ?? '')
}

async function answer(reply: FastifyReply, visitor: Visitor, opened: Opened, { database }: Dependencies) {
  if (!opened || 'to' in opened) return sendOn(reply, opened)
  const { organizationId, interaction } = visitor
  const [organization, application] = await Promise.all([
    findOrganization(database.read, organizationId),
    findApplication(database.read, organizationId, interaction.clientId),
  ])
  if (!organization || !application) return sendPage(reply, 404, lostPage)
  return sendPage(reply, 200, choicePage({ organization, application, choices: opened.choices }))
}

function sendOn(reply: FastifyReply, onward: Onward | undefined) {
  if (!onward) return sendPage(reply, 400, lostPage)
  if (onward.setCookies) reply.header('set-cookie', onward.setCookies)
  if (reply.request.method === 'POST') return sendPage(reply, 200, onwardPage(onward.to))
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  return reply.redirect(withFragment(onward.to), 303)
}

const sendPage = (reply: FastifyReply, status: number, page: Page) =>
  reply.code(status).headers(pageHeaders(page)).send(renderPage(page))
