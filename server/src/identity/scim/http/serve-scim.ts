import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../../ground/database/database.ts'
import { outcomeUnknown, unavailable } from '../../../ground/errors.ts'
import { beforeDeadline } from '../../../ground/http/chain/consistency.ts'
import { ignoreTypeOfNoBody } from '../../../ground/http/chain/json-body.ts'
import type { Act, RecordChange } from '../../../ground/http/chain/recorded-change.ts'
import { userAgentOf } from '../../../ground/http/chain/user-agent.ts'
import { refuseUnstorableText } from '../../../ground/http/chain/validation.ts'
import { clientAddress } from '../../../ground/http/socket/client-address.ts'
import type { CallerLimit, Rate } from '../../../ground/http/socket/rate-limit.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { makeId } from '../../../ground/runtime/identifiers.ts'
import { type AuthenticateDirectory, scimUrlOf } from '../../directories/index.ts'
import { ScimError } from '../errors.ts'
import { toEntityTag } from '../schema/to-answer.ts'
import { type Admission, createAdmission } from './admission.ts'
import { discovery, serveDiscovery } from './discovery.ts'
import { namesVersion } from './entity-tag.ts'
import { sendRefusal, toRefusal } from './error-answer.ts'
import { sendScim } from './media-type.ts'
import { createNoteRefusal } from './note-refusal.ts'
import { readScimBodies, refuseLongBody, requireObject } from './scim-body.ts'
import type { ScimCall, ScimReply, ScimRoute } from './scim-route.ts'
import { isSearchable, searchOf } from './search.ts'
import { createRefuseUnrouted, serveUnrouted } from './unrouted.ts'

/** Of a request without a body of its own. */
const maxIgnoredBytes = 4_096
/** From its arrival to the answer. */
const timeoutMs = 30_000

type ScimServing = {
  database: Database
  clock: Clock
  baseUrl: string
  authenticate: AuthenticateDirectory
  recordAs: (act: Act) => RecordChange
  /** Of each directory, in this process. */
  rate: Rate
  /** Of what needs no token. */
  callers: CallerLimit
}

type Serving = ScimServing & { admission: Admission; refuse: (request: FastifyRequest) => never }

/** SCIM is no operation of the interface: a scope of its own has its checks, its media types and its errors. */
export function serveScim(app: FastifyInstance, routes: ScimRoute[], serving: ScimServing) {
  const noteRefusal = createNoteRefusal(serving)
  app.register(async (scope) => {
    scope.decorateRequest('admitted')
    scope.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'))
    scope.setErrorHandler(async (error, request, reply) => {
      const refusal = toRefusal(error, request)
      await noteRefusal(request, refusal)
      return sendRefusal(reply, refusal)
    })
    readScimBodies(scope)
    const admission = createAdmission(serving)
    const all = routes.flatMap((route) => (isSearchable(route) ? [route, searchOf(route)] : [route]))
    const refuse = createRefuseUnrouted([...all, ...discovery.map(({ path }) => ({ method: 'GET', path }))])
    for (const route of all) mount(scope, route, { ...serving, admission, refuse })
    serveDiscovery(scope, serving)
    serveUnrouted(scope, admission, refuse)
  })
}

function mount(scope: FastifyInstance, route: ScimRoute, serving: Serving) {
  scope.route({
    method: route.method,
    url: `/scim/:organization_id/v2${route.path}`,
    bodyLimit: route.maxBodyBytes ?? maxIgnoredBytes,
    onRequest: [serving.admission.admit, refuseEmptyId(serving), expectBody],
    preValidation: refuseUnstorableText,
    handler: (request, reply) => answer(request, reply, route, serving),
  })
}

/** To the router a closing slash is an id without a character. */
const refuseEmptyId =
  ({ refuse }: Serving) =>
  async (request: FastifyRequest) => {
    if ((request.params as { id?: string }).id === '') refuse(request)
  }

async function expectBody(request: FastifyRequest) {
  refuseLongBody(request)
  ignoreTypeOfNoBody(request)
}

async function answer(request: FastifyRequest, reply: FastifyReply, route: ScimRoute, serving: Serving) {
  const work = toCall(request, route, serving).then(route.handle)
  const leftMs = timeoutMs - (performance.now() - request.arrivedAt)
  const late = route.method === 'GET' ? unavailable : outcomeUnknown
  const answered = await beforeDeadline(work, leftMs, late, (error) => {
    if (!(error instanceof ScimError)) request.log.error({ err: error }, 'request failed after its deadline')
  })
  return send(request, reply, answered)
}

async function toCall(request: FastifyRequest, route: ScimRoute, serving: Serving): Promise<ScimCall> {
  const { clock, baseUrl, admission, recordAs } = serving
  const { directory, limits } = await admission.requireStill(request)
  const { organizationId, headers } = request
  const { organization_id: _, ...params } = request.params as Record<string, string>
  const actor = { type: 'directory' as const, id: directory.id, name: directory.name }
  const address = clientAddress(request)
  const recordUnder = (action: string) => recordAs({ actor, action, requestId: request.id, clientAddress: address })
  return {
    organizationId,
    directory,
    limits,
    scimUrl: scimUrlOf(baseUrl, organizationId),
    params,
    query: firstOfEach(request.query as Record<string, string | string[]>),
    body: route.maxBodyBytes === undefined ? {} : requireObject(request.body),
    ifMatch: headers['if-match'],
    caller: {
      correlationId: makeId(clock.now()),
      clientAddress: address,
      userAgent: userAgentOf(request),
      by: 'directory',
    },
    record: recordUnder(route.id),
    recordAs: recordUnder,
  }
}

const firstOfEach = (query: Record<string, string | string[]>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat()[0] ?? '']))

function send(request: FastifyRequest, reply: FastifyReply, { status, body, version, location }: ScimReply) {
  if (version !== undefined) reply.header('etag', toEntityTag(version))
  if (location !== undefined) reply.header('location', location)
  const { 'if-none-match': known } = request.headers
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead && known !== undefined && version !== undefined && namesVersion(known, version))
    return reply.code(304).send()
  reply.code(status)
  return body === undefined ? reply.send() : sendScim(reply, body)
}
