import type { FastifyInstance, FastifyRequest } from 'fastify'
import { makeAsset, sendAsset } from './asset.ts'
import { clientAddress } from './client-address.ts'
import type { SentCalls } from './document.ts'
import { pathOf } from './error-answer.ts'
import type { Operation } from './operation.ts'
import type { CallerLimit } from './rate-limit.ts'

type Documented = {
  baseUrl: string
  operations: Operation[]
  /** What Signet sends to receivers; read when somebody first asks for the document. */
  describeCalls: () => Promise<SentCalls>
  callers: CallerLimit
}

/** `/openapi.json` from the very schemas that validate, and `/docs`, a reference page that works offline. */
export function serveDocuments(app: FastifyInstance, { baseUrl, operations, describeCalls, callers }: Documented) {
  const onRequest = async (request: FastifyRequest) => callers.takeAddress(clientAddress(request))
  const document = once(async () => {
    const { buildDocument } = await import('./document.ts')
    const text = JSON.stringify(buildDocument({ baseUrl, operations, sent: await describeCalls() }))
    return makeAsset(Buffer.from(text), { 'content-type': 'application/json; charset=utf-8' })
  })
  app.get('/openapi.json', { onRequest }, async (request, reply) => sendAsset(request, reply, await document()))
  const page = once(async () => (await import('./reference-page.ts')).buildReferencePage())
  // Relative, for a proxy may have taken off what the browser's address begins with.
  app.get('/docs', { onRequest }, async (_request, reply) => reply.redirect('docs/', 301))
  app.get('/docs/*', { onRequest }, async (request, reply) => {
    const asset = (await page()).get(pathOf(request))
    return asset ? sendAsset(request, reply, asset) : reply.callNotFound()
  })
  // Not relative to the address, which need not end in the slash that was passed on.
  app.get('/', { onRequest }, async (_request, reply) => reply.redirect(new URL(`${baseUrl}/docs`).pathname, 303))
}

/** Made when somebody first asks; anew, where that failed. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}
