import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'

/** Files with a hash of their content in the name, by what they are called elsewhere: they are kept by browsers for ever. */
export type Assets = { files: Map<string, Buffer>; names: Map<string, string> }

const styles = ['console/src/design/tokens.css', 'help/src/browser/help.css']

export function readAssets(root: string): Assets {
  const assets: Assets = { files: new Map(), names: new Map() }
  for (const picture of globSync('docs/pictures/*.{svg,png,jpg}', { cwd: root }).sort())
    add(assets, picture, readFileSync(join(root, picture)))
  add(assets, 'icon.svg', readFileSync(join(root, 'console/src/design/signet.svg')))
  add(assets, 'help.css', Buffer.concat(styles.map((path) => readFileSync(join(root, path)))))
  const scripts = globSync('*.js', { cwd: join(root, 'help/src/browser') }).sort()
  for (const script of scripts) addScript(assets, script, join(root, 'help/src/browser'))
  return assets
}

/** After those that it imports, whose names it is given. */
function addScript(assets: Assets, script: string, folder: string) {
  if (assets.names.has(script)) return
  const source = readFileSync(join(folder, script), 'utf8')
  const code = source.replace(/(?<=^import .* from ')\.\/(.+)(?=')/gm, (_, imported: string) => {
    addScript(assets, imported, folder)
    return `./${basename(assets.names.get(imported) ?? '')}`
  })
  add(assets, script, Buffer.from(code))
}

function add({ files, names }: Assets, key: string, content: Buffer) {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10)
  const name = `assets/${basename(key, extname(key))}-${hash}${extname(key)}`
  files.set(name, content)
  names.set(key, name)
}
