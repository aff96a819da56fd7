import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendAsset } from '../http/chain/asset.ts'
import { pathOf } from '../http/chain/error-reply.ts'
import { type Page, plainLook, present } from '../http/pages/index.ts'
import { clientAddress } from '../http/socket/client-address.ts'
import type { CallerLimit } from '../http/socket/rate-limit.ts'
import { type BuiltHelp, isAsset } from './built-help.ts'

const root = '/help/'

type Serving = { built: BuiltHelp; callers: CallerLimit }

/** Every link within the pages is relative, so they are right below any path that a proxy removes. */
export function serveHelp(app: FastifyInstance, { built, callers }: Serving) {
  const onRequest = async (request: FastifyRequest) => {
    if (!isOfPage(addressIn(request))) callers.takeAddress(clientAddress(request))
  }
  const preHandler = async (_: FastifyRequest, reply: FastifyReply) =>
    built.exists() ? undefined : sendNotBuilt(reply)
  // Relative, because a proxy may have removed the first part of the browser's path.
  app.get('/help', { onRequest, preHandler }, async (_, reply) => reply.redirect('help/', 301))
  app.get(`${root}*`, { onRequest, preHandler }, async (request, reply) => {
    const address = addressIn(request)
    const asset = await built.find(address)
    if (asset) return sendAsset(request, reply, asset)
    const near = nearOf(address)
    if (near && (await built.find(near.address))) return reply.redirect(near.from, 301)
    return sendAsset(request, reply.code(404), await built.missing(wayFrom(address)))
  })
}

const addressIn = (request: FastifyRequest) => pathOf(request).slice(root.length)

/** Not counted: a page has some ten files, one of which refused leaves it dead, and many people share an address. They lie in memory. */
const isOfPage = (address: string) => isAsset(address) || /^search[\w-]*\.json$/.test(address)

/** The same address with a slash at its end, or without it; `from`: as it lies from the address that was asked for. */
function nearOf(address: string) {
  const [, before = '', last = ''] = /^(.*?)([^/]+)\/?$/.exec(address) ?? []
  if (!last) return undefined
  return address.endsWith('/')
    ? { address: before + last, from: `../${last}` }
    : { address: `${address}/`, from: `${last}/` }
}

/** The page has it many times, and anybody may ask for an address that is all slashes. */
const maxDepth = 8
const wayFrom = (address: string) => '../'.repeat(Math.min(address.split('/').length - 1, maxDepth))

function sendNotBuilt(reply: FastifyReply) {
  const { headers, body } = present(notBuiltPage, plainLook)
  return reply.code(404).headers(headers).send(body)
}

/** For those who run Signet, in English as the help itself. */
const notBuiltPage: Page = () => ({
  title: 'The help has not been built',
  body: '<p>Run <code>npm run build</code> in the folder of Signet, then load this page again.</p>',
})
