import type { FastifyInstance, FastifyRequest } from 'fastify'
import { once } from '../../runtime/once.ts'
import { makeAsset, sendAsset } from '../chain/asset.ts'
import { pathOf } from '../chain/error-reply.ts'
import type { Operation } from '../chain/operation.ts'
import { clientAddress } from '../socket/client-address.ts'
import type { CallerLimit } from '../socket/rate-limit.ts'
import type { WebhookRequests } from './document.ts'

type Documented = {
  baseUrl: string
  home: () => string
  operations: Operation[]
  /** The calls that Signet makes to receivers; evaluated at the first request for the document. */
  describeWebhookRequests: () => Promise<WebhookRequests>
  callers: CallerLimit
}

/** `/openapi.json` from the very schemas that validate, and `/docs`, a reference page that works offline. */
export function serveDocuments(
  app: FastifyInstance,
  { baseUrl, home, operations, describeWebhookRequests, callers }: Documented,
) {
  const onRequest = async (request: FastifyRequest) => callers.takeAddress(clientAddress(request))
  const document = once(async () => {
    const { buildDocument } = await import('./document.ts')
    const text = JSON.stringify(buildDocument({ baseUrl, operations, sent: await describeWebhookRequests() }))
    return makeAsset(Buffer.from(text), { 'content-type': 'application/json; charset=utf-8' })
  })
  app.get('/openapi.json', { onRequest }, async (request, reply) => sendAsset(request, reply, await document()))
  const page = once(async () => (await import('./reference-page.ts')).buildReferencePage())
  // Relative, because a proxy may have removed the first part of the browser's path.
  app.get('/docs', { onRequest }, async (_request, reply) => reply.redirect('docs/', 301))
  app.get('/docs/*', { onRequest }, async (request, reply) => {
    const asset = (await page()).get(pathOf(request))
    return asset ? sendAsset(request, reply, asset) : reply.callNotFound()
  })
  // Not relative to the browser's address, which need not end in a slash.
  app.get('/', { onRequest }, async (_request, reply) => reply.redirect(new URL(baseUrl + home()).pathname, 303))
}
