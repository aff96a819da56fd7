import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Asset } from '../../ground/http/chain/asset.ts'
import { makeBuiltAsset, makeHashedAsset, readBuilt } from '../../ground/http/chain/built-files.ts'
import { setBounded } from '../../ground/runtime/bounded-map.ts'
import { once } from '../../ground/runtime/once.ts'

/** Where the console is built, in a clone of Signet. */
const builtFolder = join(import.meta.dirname, '../../../../console/dist')

const mostAssets = { files: 200, bytes: 8 * 1_048_576 }
/** One for each depth of a path and each form, kept compressed too. */
const maxPages = 64

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
    makeBuiltAsset('index.html', Buffer.from(fill(await readPage(), kind)), {
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
  const files = [...(await readBuilt(folder, mostAssets))]
  return new Map(
    await Promise.all(files.map(async ([name, body]) => [name, await makeHashedAsset(name, body)] as const)),
  )
}
