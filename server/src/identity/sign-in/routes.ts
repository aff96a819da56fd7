import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed } from '../../ground/errors.ts'
import { withFragment } from '../../ground/http/chain/own-fragment.ts'
import { refusePrefetch } from '../../ground/http/chain/prefetch.ts'
import { type Page, pageHeaders, redirectPage, renderPage } from '../../ground/http/pages/index.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import type { CallerLimit } from '../../ground/http/socket/rate-limit.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { findApplication } from '../applications/index.ts'
import type { Redirect } from '../issuer/index.ts'
import { findOrganization, refuseIfMoving } from '../organizations/index.ts'
import { handleCallback } from './callback.ts'
import { type BrowserContext, type FlowPath, findBrowserContext } from './client-context.ts'
import type { Dependencies } from './dependencies.ts'
import { readFlowCookies } from './flow-cookie.ts'
import { isSecret } from './flow-secret.ts'
import { findClientIdOf } from './flow-store.ts'
import { chooseProvider, type Opened, openFlow } from './open-flow.ts'
import { openTest } from './open-test.ts'
import { choicePage, type Ended, lostPage, lostTestPage, type Shown, waitingPage } from './sign-in-pages.ts'

/** The form of the page has one field. */
const maxFormBytes = 1_024
const flowPath = '/sso/flows/:organization_id/:uid'
const testPath = '/sso/tests/:organization_id/:secret'
const callbackPath = '/sso/callback/:credential_id'
/** A browser whose sign-in is finishing reloads the page this often; its requests count toward the rate limit. */
const reloadSeconds = 2
/** Without HEAD, which would consume the flow of a callback. */
const unlisted = { exposeHeadRoute: false }

type FlowRequest = FastifyRequest<{ Params: FlowPath }>
type TestRequest = FastifyRequest<{ Params: { organization_id: string; secret: string } }>
type CallbackRequest = FastifyRequest<{ Params: { credential_id: string } }>

/** The routes of a person's browser. They reply with redirects and pages, never in the envelope of the API. */
export function serveSignIn(app: FastifyInstance, dependencies: Dependencies, limit: CallerLimit) {
  app.register(async (routes) => {
    routes.addHook('onRequest', async (request) => limit.takeAddress(clientAddress(request)))
    routes.addHook('onRequest', refusePrefetch)
    serveFlows(routes, dependencies, limit)
    serveCallbacks(routes, dependencies)
    serveTests(routes, dependencies)
  })
}

function serveFlows(routes: FastifyInstance, dependencies: Dependencies, limit: CallerLimit) {
  const form = { parseAs: 'string', bodyLimit: maxFormBytes } as const
  routes.addContentTypeParser('application/x-www-form-urlencoded', form, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  )
  const serve = async (
    request: FlowRequest,
    reply: FastifyReply,
    open: (context: BrowserContext) => Promise<Opened>,
  ) => {
    const context = await findBrowserContext(request, dependencies)
    if (!context) return sendEnded(reply, await endedAt(request.params, dependencies), dependencies)
    limit.takeOrganization(context.organizationId)
    // Another tab has finished the sign-in.
    if (context.interaction.hasResult) return sendRedirect(reply, { to: context.interaction.returnTo })
    return sendOpened(reply, context, await open(context), dependencies)
  }
  routes.get(flowPath, unlisted, (request: FlowRequest, reply) =>
    serve(request, reply, (context) => openFlow(context, dependencies)),
  )
  routes.post(flowPath, unlisted, (request: FlowRequest, reply) =>
    serve(request, reply, (context) => chooseProvider(context, choiceIn(request.body), dependencies)),
  )
  refuseOthers(routes, flowPath, ['GET', 'POST'])
}

/** The organization's limit was taken when the flow was stored; without a flow a callback does nothing. */
function serveCallbacks(routes: FastifyInstance, dependencies: Dependencies) {
  routes.get(callbackPath, unlisted, async (request: CallbackRequest, reply) => {
    const callback = readCallback(request, dependencies)
    const handled = callback ? await handleCallback(callback, dependencies) : { ended: undefined }
    if (handled !== 'finishing')
      return 'ended' in handled ? sendEnded(reply, handled, dependencies) : sendEither(reply, handled)
    return sendPage(reply.header('refresh', String(reloadSeconds)), 200, waitingPage)
  })
  refuseOthers(routes, callbackPath, ['GET'])
}

/** The link of a test is its secret. */
function serveTests(routes: FastifyInstance, dependencies: Dependencies) {
  routes.get(testPath, unlisted, async (request: TestRequest, reply) => {
    const { organization_id: organizationId, secret } = request.params
    if (!isUuid(organizationId) || !isSecret(secret)) return sendPage(reply, 400, lostTestPage)
    const cookies = readFlowCookies(request.headers.cookie, dependencies.isSecure)
    return sendEither(reply, await openTest({ organizationId, secret, cookies }, dependencies))
  })
  refuseOthers(routes, testPath, ['GET'])
}

function refuseOthers(routes: FastifyInstance, url: string, methods: string[]) {
  const onRequest = () => {
    throw methodNotAllowed(methods)
  }
  const method = routes.supportedMethods.filter((name) => !methods.includes(name))
  routes.route({ method, url, ...unlisted, onRequest, handler: onRequest })
}

/** Undefined: no credential has such an id. */
function readCallback(request: CallbackRequest, { baseUrl, isSecure }: Dependencies) {
  const credentialId = request.params.credential_id.toLowerCase()
  if (!isUuid(credentialId)) return undefined
  const parameters = new URL(request.url, baseUrl).searchParams
  const { cookie } = request.headers
  const { flows: cookies } = readFlowCookies(cookie, isSecure)
  return { credentialId, state: parameters.get('state') ?? '', parameters, cookies, cookie }
}

/** Undefined: the person cancelled. */
function choiceIn(body: unknown): string | undefined {
  const fields = body instanceof URLSearchParams ? body : new URLSearchParams()
  return fields.has('cancel') ? undefined : (fields.get('credential') ?? '')
}

async function sendOpened(reply: FastifyReply, context: BrowserContext, opened: Opened, { database }: Dependencies) {
  if (!opened || 'to' in opened) return sendRedirect(reply, opened)
  const { organizationId, interaction } = context
  const [organization, application] = await Promise.all([
    findOrganization(database.read, organizationId),
    findApplication(database.read, organizationId, interaction.clientId),
  ])
  if (!organization || !application) return sendPage(reply, 404, lostPage)
  return sendPage(reply, 200, choicePage({ organization, application, choices: opened.choices }))
}

function sendEither(reply: FastifyReply, sent: Redirect | Shown | undefined) {
  if (!sent || 'to' in sent) return sendRedirect(reply, sent)
  if (sent.setCookies) reply.header('set-cookie', sent.setCookies)
  return sendPage(reply, sent.status, sent.page)
}

/** The application is known for as long as its flow is there. */
async function endedAt({ organization_id: organizationId, uid }: FlowPath, { database }: Dependencies): Promise<Ended> {
  if (!isUuid(organizationId)) return { ended: undefined }
  return { ended: { organizationId, clientId: (await findClientIdOf(database.read, organizationId, uid)) ?? null } }
}

/** What the browser asks for may have moved with its organization. */
async function sendEnded(reply: FastifyReply, { ended, setCookies }: Ended, { database }: Dependencies) {
  if (ended) await refuseIfMoving(database.read, ended.organizationId)
  if (setCookies) reply.header('set-cookie', setCookies)
  return sendPage(reply, 400, lostPage)
}

function sendRedirect(reply: FastifyReply, redirect: Redirect | undefined) {
  if (!redirect) return sendPage(reply, 400, lostPage)
  if (redirect.setCookies) reply.header('set-cookie', redirect.setCookies)
  if (reply.request.method === 'POST') return sendPage(reply, 200, redirectPage(redirect.to))
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  return reply.redirect(withFragment(redirect.to), 303)
}

const sendPage = (reply: FastifyReply, status: number, page: Page) =>
  reply.code(status).headers(pageHeaders(page)).send(renderPage(page))
