import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendAsset } from '../../ground/http/chain/asset.ts'
import { pathOf } from '../../ground/http/chain/error-reply.ts'
import { type Page, plainLook, present } from '../../ground/http/pages/index.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import type { CallerLimit } from '../../ground/http/socket/rate-limit.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import type { BuiltConsole, FirstForm } from './built-console.ts'
import { noOrganization, readSessionCookie } from './session-cookie.ts'

const root = '/console'
const assetsPath = `${root}/assets/`

export type PageRoutes = { built: BuiltConsole; callers: CallerLimit; baseUrl: string }

/** Every path is a page of the console, which it finds by the address itself; only assets are files. */
export function servePages(app: FastifyInstance, { built, callers, baseUrl }: PageRoutes) {
  const { host, protocol } = new URL(baseUrl)
  const pageFor = (path: string, headers: FastifyRequest['headers']) =>
    built.page({ base: baseFor(path), host, form: formFor(path, headers, protocol === 'https:') })
  const onRequest = async (request: FastifyRequest) => callers.takeAddress(clientAddress(request))
  const preHandler = async (_: FastifyRequest, reply: FastifyReply) =>
    built.exists() ? undefined : sendNotFound(reply, notBuiltPage)
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) =>
    sendAsset(request, reply, await pageFor(pathOf(request), request.headers))
  const sendFile = async (request: FastifyRequest, reply: FastifyReply) => {
    const asset = (await built.assets()).get(pathOf(request).slice(assetsPath.length))
    return asset ? sendAsset(request, reply, asset) : sendNotFound(reply, noSuchFilePage)
  }
  app.get(root, { onRequest, preHandler }, sendPage)
  app.get(`${root}/*`, { onRequest, preHandler }, sendPage)
  // Not counted: a page has some ten files, one of which refused leaves it dead, and many people share an address. They lie in memory.
  app.get(`${assetsPath}*`, { preHandler }, sendFile)
}

/** The console as it lies from `path`: relative, because a proxy may have removed the first part of the browser's path. */
function baseFor(path: string): string {
  if (path === root) return 'console/'
  return '../'.repeat(path.split('/').length - 3) || './'
}

/**
 * Where the browser has a session, or may have one, the script of the page asks before it shows a form: a cookie may stand for a session
 * that has ended, and whoever comes back from a provider brings none, though there is one (SameSite=Strict).
 */
function formFor(path: string, headers: FastifyRequest['headers'], isSecure: boolean): FirstForm {
  const [, , place, id = ''] = path.split('/')
  if (!place) return { of: 'anybody' }
  const isOrganizations = place === 'o' && isUuid(id)
  if (!isOrganizations && place !== 'operator') return { of: 'none' }
  const organizationId = isOrganizations ? id.toLowerCase() : noOrganization
  if (headers['sec-fetch-site'] === 'cross-site') return { of: 'none' }
  if (readSessionCookie(headers.cookie, organizationId, isSecure)) return { of: 'none' }
  return isOrganizations ? { of: 'organization', organizationId } : { of: 'operator' }
}

function sendNotFound(reply: FastifyReply, page: Page) {
  const { headers, body } = present(page, plainLook)
  return reply.code(404).headers(headers).send(body)
}

/** For those who run Signet: in English, as the console itself. */
const notBuiltPage: Page = () => ({
  title: 'The console has not been built',
  body: '<p>Run <code>npm run build</code> in the folder of Signet, then load this page again.</p>',
})

const noSuchFilePage: Page = () => ({
  title: 'This file does not exist',
  body: '<p>Signet may have been updated since the console was opened. Please load it again.</p>',
})
