import { createHash } from 'node:crypto'
import { type Asset, makeAsset } from '../chain/asset.ts'
import { renderReference } from './render-reference.ts'

/**
 * The page at `/docs` and its script: nothing is fetched from elsewhere. The script has 4 MB, so a process loads it only when the
 * page is requested.
 */
export async function buildReferencePage(): Promise<Map<string, Asset>> {
  const { page, script } = await renderReference()
  const pageHeaders = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(page.toString()),
  }
  return new Map([
    ['/docs/', await makeAsset(page, pageHeaders)],
    ['/docs/js/scalar.js', await makeAsset(script, { 'content-type': 'application/javascript; charset=utf-8' })],
  ])
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
