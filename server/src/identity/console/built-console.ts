import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { type Asset, makeAsset } from '../../ground/http/chain/asset.ts'
import { setBounded } from '../../ground/runtime/bounded-map.ts'
import { once } from '../../ground/runtime/once.ts'

/** Where the console is built, in a clone of Signet. */
const builtFolder = join(import.meta.dirname, '../../../../console/dist')

/** They are kept in memory, as they are and compressed. */
const maxFiles = 200
const maxTotalBytes = 8 * 1_048_576
/** One for each depth of a path and each form, kept compressed too. */
const maxPages = 64

/** Allows only our own files and requests. No inline script or style, and no page may frame this one. */
const policy = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'connect', 'font'].map((kind) => `${kind}-src 'self'`),
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const shared = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** In the page as it is built; each request gets the address of the console as it lies from the request's own. */
const baseElement = '<base href="./">'

/**
 * Whose form the page shows before its script runs: that of `/console`, where the organization is typed, of one organization, or of
 * the operator. None: where the browser has a session already, the form would only flash.
 */
export type FirstForm = { of: 'anybody' | 'operator' } | { of: 'organization'; organizationId: string } | { of: 'none' }

/** `host`: of the base URL, which says whose installation it is. */
export type PageKind = { base: string; host: string; form: FirstForm }

export type BuiltConsole = ReturnType<typeof createBuiltConsole>

/** The console as it was built: read when it is first asked for, and again only by another process. */
export function createBuiltConsole(folder = builtFolder) {
  const pagePath = join(folder, 'index.html')
  const readPage = once(async () => {
    const page = await readFile(pagePath, 'utf8')
    if (!page.includes(baseElement)) throw new Error(`${pagePath}: must contain ${baseElement}`)
    return page
  })
  const makePage = async (kind: PageKind): Promise<Asset> =>
    makeAsset(Buffer.from(fill(await readPage(), kind)), {
      ...shared,
      'content-type': 'text/html; charset=utf-8',
      vary: 'Accept-Encoding, Cookie, Sec-Fetch-Site',
    })
  const pages = new Map<string, Asset>()
  return {
    exists: () => existsSync(pagePath),
    page: async (kind: PageKind): Promise<Asset> => {
      const key = JSON.stringify(kind)
      const page = pages.get(key) ?? (await makePage(kind))
      setBounded(pages, key, page, maxPages)
      return page
    },
    /** By name. */
    assets: once(() => readAssets(join(folder, 'assets'))),
  }
}

const absentParts = {
  none: ['form'],
  anybody: ['operator', 'another', 'elsewhere'],
  organization: ['operator', 'switch', 'elsewhere'],
  operator: ['key', 'switch', 'elsewhere'],
}

/** Every value is of an alphabet that HTML has no use for: a relative path, a host, a UUID. */
function fill(page: string, { base, host, form }: PageKind): string {
  const absent = absentParts[form.of]
  return absent
    .reduce(without, page)
    .replace(baseElement, `<base href="${base}">`)
    .replaceAll('{host}', host)
    .replaceAll('{organization_id}', form.of === 'organization' ? form.organizationId : '')
}

/** A part of the page stands between two comments, such as `<!-- form -->` and `<!-- /form -->`. */
const without = (page: string, part: string) =>
  page.replace(new RegExp(`<!-- ${part} -->.*?<!-- /${part} -->`, 's'), '')

async function readAssets(folder: string): Promise<Map<string, Asset>> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((each) => each.isFile()).map(({ name }) => name)
  if (names.length > maxFiles) throw new Error(`${folder}: must have at most ${maxFiles} files`)
  const assets = new Map<string, Asset>()
  let left = maxTotalBytes
  for (const name of names) {
    const body = await readFile(join(folder, name))
    left -= body.length
    if (left < 0) throw new Error(`${folder}: must have at most ${maxTotalBytes} bytes`)
    assets.set(name, await toAsset(name, body))
  }
  return assets
}

/** Its name has the hash of its content. */
const toAsset = (name: string, body: Buffer) =>
  makeAsset(body, {
    ...shared,
    'content-type': types[extname(name)] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
  })
