import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { badRequest, conflict, methodNotAllowed, noOpenInvitation } from '../../ground/errors.ts'
import { closed } from '../../ground/http/chain/schemas.ts'
import { refuseUnstorableText } from '../../ground/http/chain/validation.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import type { CallerLimit } from '../../ground/http/socket/rate-limit.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { shownName } from '../../ground/runtime/shown-name.ts'
import { type Credentials, shownChoice } from '../credentials/index.ts'
import { beginConsoleSignIn } from '../issuer/index.ts'
import { createTokenAttempts, findOrganization, LinkToken, refuseIfMoving } from '../organizations/index.ts'
import { existsInvitation, findOpenInvitation } from './invitation-store.ts'

const url = '/console/invitation'
const signInUrl = `${url}/sign-in`
/** A token and a client id take a few hundred. */
const bodyLimit = 4_096

const invitations = { kind: 'console_invitation', exists: existsInvitation, notOpen: noOpenInvitation }

type Dependencies = {
  database: Database
  clock: Clock
  credentials: Credentials
  baseUrl: string
  isSecure: boolean
  flowMs: number
  callers: CallerLimit
  /** Throws a 401. */
  requireOpenedPage: (headers: FastifyRequest['headers']) => void
  /** Of the cookie by which a browser has a session of the console. */
  sessionHashIn: (header: string | undefined, organizationId: string) => Buffer | undefined
}

type Body<Fields> = FastifyRequest<{ Body: Fields }>

/**
 * What the page of an invitation asks, without a session. These are no operations: the second gives a cookie, and both answer only Signet's
 * own page, lest another page begin a sign-in in somebody's browser.
 */
export function serveInvitations(app: FastifyInstance, dependencies: Dependencies) {
  const { callers, requireOpenedPage } = dependencies
  const onRequest = async (request: FastifyRequest) => callers.takeAddress(clientAddress(request))
  const checks = { onRequest, preValidation: refuseUnstorableText, bodyLimit }
  app.register(async (routes) => {
    routes.addHook('onRequest', async ({ headers }: FastifyRequest, reply: FastifyReply) => {
      reply.header('cache-control', 'no-store')
      requireOpenedPage(headers)
    })
    routes.route({ method: 'POST', url, ...checks, ...open(dependencies) })
    routes.route({ method: 'POST', url: signInUrl, ...checks, ...signIn(dependencies) })
    for (const each of [url, signInUrl])
      routes.route({ method: ['DELETE', 'PATCH', 'PUT'], url: each, handler: refuseMethod })
  })
}

const refuseMethod = () => {
  throw methodNotAllowed(['GET', 'POST'])
}

type Found = Awaited<ReturnType<ReturnType<typeof createFind>>>

/** Throws the same 404 whatever is wrong with the token, and a 429 to whoever guesses. */
function createFind({ database, clock, credentials }: Dependencies) {
  const attempts = createTokenAttempts({ database, clock }, invitations)
  return (token: string, request: FastifyRequest) =>
    attempts(token, clientAddress(request), async ({ organizationId, hash }) => {
      const [organization, invitation, choices] = await Promise.all([
        findOrganization(database.read, organizationId),
        findOpenInvitation(database.read, organizationId, hash, toTimestamp(clock.now())),
        credentials.list(organizationId),
      ])
      if (!organization) await refuseIfMoving(database.read, organizationId)
      if (!organization || !invitation) throw noOpenInvitation()
      return { organizationId, organization, invitation, choices }
    })
}

/** Spends nothing. */
function open(dependencies: Dependencies) {
  const find = createFind(dependencies)
  return {
    schema: { body: closed({ token: LinkToken }) },
    handler: async (request: FastifyRequest) => {
      const { token } = (request as Body<{ token: string }>).body
      return { result: toOpened(await find(token, request)) }
    },
  }
}

const toOpened = ({ organizationId, organization, invitation, choices }: Found) => ({
  organization_id: organizationId,
  organization_name: shownName(organization.name),
  group: invitation.group,
  roles: [invitation.role],
  credentials: choices.map(shownChoice),
  expires_at: invitation.expires_at,
})

type Entering = { token: string; oauth_client_id?: string }

/** Gives the address to which the page goes on, and binds it to this browser. The invitation stays open until its person has signed in. */
function signIn(dependencies: Dependencies) {
  const find = createFind(dependencies)
  return {
    schema: { body: closed({ token: LinkToken, oauth_client_id: Type.Optional(Type.String()) }) },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { token, oauth_client_id: idp } = (request as Body<Entering>).body
      const { organizationId, invitation, choices } = await find(token, request)
      if (choices.length === 0) throw noCredential()
      if (idp !== undefined && !(await dependencies.credentials.findNamed(organizationId, idp)))
        throw unknownCredential()
      const { cookie } = request.headers
      const formerHash = dependencies.sessionHashIn(cookie, organizationId)
      const entry = { organizationId, idp, isFresh: true, invitation, formerHash, cookie }
      const { to, setCookies } = await beginConsoleSignIn(entry, dependencies)
      return reply.header('set-cookie', setCookies).send({ result: { url: to } })
    },
  }
}

const noCredential = () =>
  conflict('no_credential', 'credentials: there are none by which anybody can sign in to this organization')
const unknownCredential = () =>
  badRequest('unknown_reference', 'oauth_client_id: must be that of a credential of this organization')
