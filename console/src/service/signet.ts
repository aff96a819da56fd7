import { type FollowedEvent, type FollowOptions, Signet, SignetError } from '@signet/management'
import { reach } from '../network/network.ts'
import { pageOrganization, serviceUrl } from './address.ts'
import { isOfSignet } from './answer.ts'
import { hasSession, isReplaced, pageSessionId } from './page-session.ts'

/** One request that the console makes, by the management client. */
export type Call<Reply = unknown> = (client: Signet) => Promise<Reply>

/** A slow answer is shown as one; longer than this it counts as none. */
const timeoutMs = 30_000

/**
 * The cookie of a session stands for its key only beside these headers, which a page of another origin cannot send. They name the
 * session that the page was opened with: what was meant for it is refused once the browser has another one.
 */
const asConsole: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  if (isReplaced()) return replaced()
  const id = pageSessionId()
  if (id && isThroughLink(request) && !(await hasSession())) return replaced()
  const reply = await send(request, id)
  if (!id || !isRefused(reply)) return reply
  const isOfAnother = async () =>
    id !== pageSessionId() || ((await hasSession().catch(() => false)) && id !== pageSessionId())
  return (await isOfAnother()) ? send(request, pageSessionId()) : reply
}

/** Whoever has no session, such as the reader of a link, sends no cookie either. */
function send(request: Request, sessionId: string | undefined): Promise<Response> {
  if (!sessionId) return reach(request.clone(), { credentials: 'omit' })
  const named = request.clone()
  named.headers.set('Service-Console', sessionId)
  if (pageOrganization) named.headers.set('Service-OrgID', pageOrganization)
  return reach(named)
}

/** A link stands for itself, whatever session the browser has: the page asks before it sends one. */
const isThroughLink = ({ url }: Request) => new URL(url).pathname.endsWith('/console/link/credential')

/** For want of the session: nothing was done. Of one whose sign-in is too old, `queries.ts` takes care. */
const isRefused = (reply: Response) => {
  const { status, headers } = reply
  if (status === 401) return isOfSignet(reply) && headers.get('Signet-Error') !== 'sign_in_not_recent'
  return status === 409 && headers.get('Signet-Error') === 'console_session_replaced'
}

/** What the service would answer. */
const replaced = () =>
  Response.json(
    { errors: [{ httpcode: 409, message: 'This browser is signed in anew, so that nothing was sent.' }] },
    { status: 409 },
  )

/** The only way to the server, besides the session. Repetition is left to the queries, which show that they wait. */
export const signet = new Signet({ baseUrl: serviceUrl, fetch: asConsole, retries: 0, timeoutMs })

/** A page of a list as a table. `address`: the path and the query of the list. */
export async function requestCsv(address: string, signal: AbortSignal): Promise<Response> {
  const headers = { Accept: 'text/csv' }
  const reply = await asConsole(serviceUrl + address, { headers, signal }).catch((cause) => {
    throw new SignetError(cause)
  })
  // A proxy may answer with a page of its own.
  if (reply.ok && reply.headers.get('Content-Type')?.startsWith('text/csv')) return reply
  throw new SignetError(await reply.json().catch(() => undefined), reply)
}

/** For what belongs to a form or a dialog: once that is left, nothing is sent any more. */
export const signetUntil = (left: AbortSignal) =>
  new Signet({
    baseUrl: serviceUrl,
    fetch: (input, init) => {
      const own = init?.signal ?? (input instanceof Request ? input.signal : undefined)
      return asConsole(input, { ...init, signal: own ? AbortSignal.any([own, left]) : left })
    },
    retries: 0,
    timeoutMs,
  })

/** The events that come from now on. A connection that is lost is made anew in silence: `onConnection` tells of it. */
export function followEvents(
  options: FollowOptions,
  onConnection: (isOpen: boolean) => void,
): AsyncGenerator<FollowedEvent, void> {
  const watched: typeof fetch = async (input, init) => {
    const reply = await asConsole(input, init).catch((cause) => {
      onConnection(false)
      throw cause
    })
    onConnection(reply.ok)
    return reply
  }
  return new Signet({ baseUrl: serviceUrl, fetch: watched, retries: 0, timeoutMs }).followEvents(options)
}
