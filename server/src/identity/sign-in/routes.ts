import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed } from '../../ground/errors.ts'
import { withFragment } from '../../ground/http/chain/own-fragment.ts'
import { refusePrefetch } from '../../ground/http/chain/prefetch.ts'
import { type Page, present, redirectPage } from '../../ground/http/pages/index.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import type { CallerLimit } from '../../ground/http/socket/rate-limit.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { readOrganizationToken } from '../../ground/runtime/organization-token.ts'
import type { Choice } from '../credentials/index.ts'
import type { Redirect } from '../issuer/index.ts'
import { refuseIfMoving } from '../organizations/index.ts'
import { handleCallback } from './callback.ts'
import { type BrowserContext, type FlowPath, findBrowserContext } from './client-context.ts'
import type { Dependencies } from './dependencies.ts'
import { readFlowCookies } from './flow-cookie.ts'
import { isSecret } from './flow-secret.ts'
import { chooseProvider, type Opened, openFlow } from './open-flow.ts'
import { openTest } from './open-test.ts'
import { findOrigin, findPastRequest } from './past-request.ts'
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

/** Whose page it is, and the languages that the application asked for. */
type Asked = { organizationId?: string | undefined; uiLocales?: string | undefined }

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
    const { organization_id: organizationId, uid } = request.params
    const ended = { ended: { organizationId, clientId: null } }
    if (!context) return sendEnded(reply, ended, { uid }, dependencies)
    limit.takeOrganization(context.organizationId)
    // Another tab has finished the sign-in.
    const send = createSend(reply, { organizationId, uiLocales: context.interaction.params.ui_locales }, dependencies)
    if (context.interaction.hasResult) return send.redirect({ to: context.interaction.returnTo })
    const opened = await open(context)
    if (!opened) return sendEnded(reply, ended, { uid }, dependencies)
    return 'to' in opened ? send.redirect(opened) : sendChoices(send, context, opened.choices, dependencies)
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
    const sent = readOrganizationToken(callback?.state ?? '')
    const [organizationId, by] = [sent?.organizationId, sent && { stateHash: sent.hash }]
    if (handled === 'finishing') return sendWaiting(reply, organizationId, by, dependencies)
    if (!('ended' in handled)) return createSend(reply, { organizationId }, dependencies).either(handled)
    const ended = handled.ended ?? (organizationId ? { organizationId, clientId: null } : undefined)
    return sendEnded(reply, { ...handled, ended }, by, dependencies)
  })
  refuseOthers(routes, callbackPath, ['GET'])
}

/** The link of a test is its secret. */
function serveTests(routes: FastifyInstance, dependencies: Dependencies) {
  routes.get(testPath, unlisted, async (request: TestRequest, reply) => {
    const { organization_id: organizationId, secret } = request.params
    if (!isUuid(organizationId) || !isSecret(secret)) return createSend(reply, {}, dependencies).page(400, lostTestPage)
    const cookies = readFlowCookies(request.headers.cookie, dependencies.isSecure)
    const opened = await openTest({ organizationId, secret, cookies }, dependencies)
    return createSend(reply, { organizationId }, dependencies).either(opened)
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

async function sendChoices(send: Send, context: BrowserContext, choices: Choice[], dependencies: Dependencies) {
  const { organizationId, newFlow } = context
  const origin = await findOrigin(organizationId, newFlow.clientId, dependencies)
  if (!origin) return send.page(404, lostPage(undefined))
  return send.page(200, choicePage({ application: origin.name, choices }))
}

async function sendWaiting(
  reply: FastifyReply,
  organizationId: string | undefined,
  by: Remembered | undefined,
  dependencies: Dependencies,
) {
  const past = organizationId && by ? await findPastRequest(organizationId, by, dependencies) : undefined
  const send = createSend(reply.header('refresh', String(reloadSeconds)), { organizationId, ...past }, dependencies)
  return send.page(200, waitingPage)
}

type Remembered = Parameters<typeof findPastRequest>[1]

/** What the browser asks for may have moved with its organization. */
async function sendEnded(
  reply: FastifyReply,
  { ended, setCookies }: Ended,
  by: Remembered | undefined,
  dependencies: Dependencies,
) {
  if (setCookies) reply.header('set-cookie', setCookies)
  if (!ended || !isUuid(ended.organizationId)) return createSend(reply, {}, dependencies).page(400, lostPage(undefined))
  const { organizationId, clientId } = ended
  await refuseIfMoving(dependencies.database.read, organizationId)
  const past = await findPastRequest(organizationId, by, dependencies, clientId)
  return createSend(reply, { organizationId, ...past }, dependencies).page(400, lostPage(past.origin))
}

type Send = ReturnType<typeof createSend>

/** How the answers to a person's browser are sent: a page in its language, with the look of the organization. */
function createSend(reply: FastifyReply, { organizationId, uiLocales }: Asked, { lookOf }: Dependencies) {
  const acceptLanguage = reply.request.headers['accept-language']

  const page = async (status: number, shown: Page) => {
    const { headers, body } = present(shown, await lookOf(organizationId, { uiLocales, acceptLanguage }))
    return reply.code(status).headers(headers).send(body)
  }
  const redirect = (to: Redirect) => {
    if (to.setCookies) reply.header('set-cookie', to.setCookies)
    if (reply.request.method === 'POST') return page(200, redirectPage(to.to))
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    return reply.redirect(withFragment(to.to), 303)
  }
  const either = (sent: Redirect | Shown) => {
    if ('to' in sent) return redirect(sent)
    if (sent.setCookies) reply.header('set-cookie', sent.setCookies)
    return page(sent.status, sent.page)
  }
  return { page, redirect, either }
}
