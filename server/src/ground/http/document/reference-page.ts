import { createHash } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import { type Asset, makeAsset } from '../chain/asset.ts'

/**
 * The page shows the document and makes requests to this service. Everything that belongs to the page's maker is off: agents,
 * accounts, tools to edit or publish the document, fonts, telemetry, and links to other sites.
 */
const configuration = {
  url: '../openapi.json',
  pageTitle: 'Signet API reference',
  documentDownloadType: 'json',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // Its own samples show header values of its own making: those of the document remain.
  hiddenClients: true,
  withDefaultFonts: false,
  telemetry: false,
  customCss:
    'a[href*="scalar.com"] { display: none } a[href^="https:"]:not([href*="/help"]) { pointer-events: none; text-decoration: none }',
}

/**
 * The page at `/docs` and its script, from a package: nothing is fetched from elsewhere. The script has 4 MB, so a process
 * loads it only when the page is requested.
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
  const isPage = type.startsWith('text/html')
  const policy: Record<string, string> = isPage ? { 'content-security-policy': policyFor(rawPayload.toString()) } : {}
  return makeAsset(rawPayload, { 'content-type': type, ...policy })
}

/** Allows only our own scripts and resources, and inline styles, which the page's library needs. */
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
