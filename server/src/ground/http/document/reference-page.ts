import { createHash } from 'node:crypto'
import { type Asset, makeAsset } from '../chain/asset.ts'
import { renderReference } from './render-reference.ts'

/**
 * The page at `/docs` and its script: nothing is fetched from elsewhere. The script has 4 MB, so a process loads it only when the
 * page is requested.
 */
export async function buildReferencePage(): Promise<Map<string, Asset>> {
  const files = [...(await renderReference())]
  return new Map(await Promise.all(files.map(async ([path, body]) => [path, await toAsset(path, body)] as const)))
}

const toAsset = (path: string, body: Buffer): Promise<Asset> =>
  path.endsWith('.js')
    ? makeAsset(body, { 'content-type': 'application/javascript; charset=utf-8' })
    : makeAsset(body, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policyFor(`${body}`) })

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
