import { createHash } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import { type Asset, makeAsset } from './asset.ts'

/**
 * The page offers the document and requests to this service, and nothing of its maker's: neither agents nor an account, no tools
 * to edit or publish the document, no fonts, no telemetry, no link that leads away.
 */
const configuration = {
  url: '../openapi.json',
  pageTitle: 'Signet API reference',
  documentDownloadType: 'json',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  withDefaultFonts: false,
  telemetry: false,
  customCss:
    'a[href*="scalar.com"] { display: none } a[href^="https:"] { pointer-events: none; text-decoration: none }',
}

/**
 * The page at `/docs`, with its script, from a package: nothing is fetched from elsewhere. The script alone is 4 MB, which no
 * process keeps in memory that is not asked for it.
 */
export async function buildReferencePage(): Promise<Map<string, Asset>> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const page = fastify()
  await page.register(reference, { routePrefix: '/docs', configuration: configuration as never })
  const paths = ['/docs/', '/docs/js/scalar.js']
  return new Map(await Promise.all(paths.map(async (path) => [path, await toAsset(page, path)] as const)))
}

async function toAsset(page: FastifyInstance, path: string): Promise<Asset> {
  const { headers, rawPayload } = await page.inject(path)
  const type = String(headers['content-type'])
  const policy = type.startsWith('text/html') ? { 'content-security-policy': policyFor(rawPayload.toString()) } : {}
  return makeAsset(rawPayload, { 'content-type': type, ...policy })
}

/** The page's library writes its styles into the document. Otherwise nothing runs, or is loaded, but what is our own. */
function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map(([, script = '']) => script)
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
