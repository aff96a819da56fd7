import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Asset } from '../http/chain/asset.ts'
import { makeBuiltAsset, makeHashedAsset, readBuilt } from '../http/chain/built-files.ts'
import { once } from '../runtime/once.ts'

/** Where the pages are built, in a clone of Signet. */
const builtFolder = join(import.meta.dirname, '../../../../help/dist')

/** Three times what there is. */
const most = { files: 1_000, bytes: 24 * 1_048_576 }

/** For what there is not: before each of its addresses stands a mark, which becomes the way to the help from where the page is seen. */
const missingPage = '404.html'
const mark = /\{help\}/g

export type BuiltHelp = ReturnType<typeof createBuiltHelp>

/** The help as it was built: read when it is first asked for, and again only by another process. Each file is compressed when it is sent first. */
export function createBuiltHelp(folder = builtFolder) {
  const read = once(() => readBuilt(folder, most))
  const assets = once(async () => {
    const files = [...(await read())].filter(([name]) => name !== missingPage)
    return new Map(files.map(([name, body]) => [addressOf(name), once(() => toAsset(name, body))]))
  })
  const makeMissing = async (way: string): Promise<Asset> => {
    const page = (await read()).get(missingPage)?.toString() ?? ''
    return makeBuiltAsset(missingPage, Buffer.from(page.replace(mark, way)))
  }
  /** By the way, of which there are nine: below `assets/` anybody may ask for them without a limit. */
  const missing = new Map<string, Asset>()
  return {
    exists: () => existsSync(join(folder, 'index.html')),
    /** By its address below `/help/`, as it is written: what is percent-encoded is no address of ours. */
    find: async (address: string): Promise<Asset | undefined> => (await assets()).get(address)?.(),
    missing: async (way: string): Promise<Asset> => {
      const page = missing.get(way) ?? (await makeMissing(way))
      missing.set(way, page)
      return page
    },
  }
}

/** `use/hooks.html` is the page `use/hooks`, and `use/index.html` is `use/`. */
const addressOf = (name: string) => name.replace(/(?:(?<=^|\/)index)?\.html$/, '')

export const isAsset = (name: string) => name.startsWith('assets/')

const toAsset = (name: string, body: Buffer) => (isAsset(name) ? makeHashedAsset : makeBuiltAsset)(name, body)
