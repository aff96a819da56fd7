import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../ground/database/database.ts'
import { ApiError, notOfConsole } from '../../ground/errors.ts'
import type { Act, RecordChange } from '../../ground/http/chain/recorded-change.ts'
import { type Page, plainLook, present } from '../../ground/http/pages/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { consolePathOf, dropConsoleCookie, readConsoleReturn, takeConsoleReturn } from '../issuer/index.ts'
import { refuseIfMoving } from '../organizations/index.ts'
import { redirect } from './begin-sign-in.ts'
import { ownOrigin } from './own-page.ts'
import type { Sessions } from './sessions.ts'
import { lostPage, noRolePage, refusedPage } from './sign-in-pages.ts'

export type FinishDependencies = {
  database: Database
  clock: Clock
  baseUrl: string
  isSecure: boolean
  flowMs: number
  sessions: Sessions
  recordAs: (act: Act) => RecordChange
}

type Sent = { organizationId: string; hash: Buffer }
type Finished = { to: string; setCookies: string[] } | 'lost' | 'refused' | 'no_role'

/**
 * The browser returns from the issuer. Whatever the address says is believed only for a sign-in that this very browser began: so nobody is
 * signed in, or told anything, by a link of somebody else.
 */
export const finishSignIn =
  (dependencies: FinishDependencies) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { baseUrl, database, isSecure } = dependencies
    if (ownOrigin(request.headers.host ?? '', new URL(baseUrl)) === undefined) throw notOfConsole()
    const parameters = new URL(request.url, baseUrl).searchParams
    const sent = readConsoleReturn({ parameters, cookie: undefined }, baseUrl)
    if (!sent) return sendPage(reply, 400, lostPage(`${baseUrl}/console`))
    await refuseIfMoving(database.read, sent.organizationId)
    const finished = await finish(sent, parameters, request, dependencies)
    const way = baseUrl + consolePathOf(sent.organizationId)
    if (finished === 'lost') return sendPage(reply, 400, lostPage(way))
    reply.header('set-cookie', [dropConsoleCookie(sent.hash, isSecure)])
    if (finished === 'no_role') return sendPage(reply, 403, noRolePage(way))
    if (finished === 'refused') return sendPage(reply, 403, refusedPage(parameters, way))
    return redirect(reply, finished)
  }

/** Code, grant and the browser's sign-in go, and the session begins, in one transaction; where no session may begin, they go all the same. */
const finish = (sent: Sent, parameters: URLSearchParams, request: FastifyRequest, dependencies: FinishDependencies) =>
  dependencies.database.together(async (tx): Promise<Finished> => {
    const { baseUrl, sessions, recordAs } = dependencies
    const returned = await takeConsoleReturn(tx, sent, { parameters, cookie: request.headers.cookie }, dependencies)
    if (!returned) return 'lost'
    const { person, returnTo, formerHash } = returned
    if (!person) return parameters.has('error') ? 'refused' : 'lost'
    const holder = { organizationId: sent.organizationId, person }
    try {
      return { to: baseUrl + returnTo, setCookies: await sessions.begin(holder, request, recordAs, formerHash) }
    } catch (error) {
      return whyNone(error)
    }
  })

/** The session of the issuer may have ended at this moment. */
function whyNone(error: unknown): 'no_role' | 'lost' {
  if (!(error instanceof ApiError) || ![401, 403].includes(error.status)) throw error
  return error.status === 403 ? 'no_role' : 'lost'
}

function sendPage(reply: FastifyReply, status: number, page: Page) {
  const { headers, body } = present(page, plainLook)
  return reply.code(status).headers(headers).send(body)
}
