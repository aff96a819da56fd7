import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Copy } from '../copy.ts'
import { run } from '../run.ts'
import type { Workplace } from '../workplace.ts'

/** With the paths that docs/operate/installing.md names. */
const paths = [
  'compose.yaml',
  'examples/compose',
  'examples/kubernetes',
  'examples/deployment/signet.service',
  'examples/deployment/signet-secrets.conf',
  'signet.env.example',
]
/** Where the image is pushed to is for its publisher, and an overlay, to say. */
const address = 'registry.example.com/signet'

/** Copies what an installation is made by into `folder`. `digest`: of the image, by which the files then name it. */
export function copyDeployment({ folder: copy, version }: Copy, folder: string, digest: string | undefined) {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(copy, path), join(folder, path), { recursive: true })
  }
  if (!digest) return
  const image = `${address}@${digest}`
  const compose = join(folder, 'compose.yaml')
  writeFileSync(compose, byDigest(readFileSync(compose, 'utf8'), version, image))
  for (const path of ['process/deployment.yaml', 'components/migrate-first/kustomization.yaml']) {
    const file = join(folder, 'examples/kubernetes', path)
    writeFileSync(file, replaced(readFileSync(file, 'utf8'), `image: ${address}:${version}`, `image: ${image}`))
  }
}

/** `SIGNET_IMAGE` names it where it is on a machine under another name. */
export const byDigest = (compose: string, version: string, image: string): string =>
  replaced(compose, `    build: .\n    image: signet:${version}\n`, `    image: \${SIGNET_IMAGE:-${image}}\n`)

function replaced(text: string, before: string, after: string): string {
  if (!text.includes(before)) throw new Error(`no longer there: ${before.trim()}`)
  return text.replace(before, after)
}

/** Renders what the kustomizations make, the base and the one with everything. */
export async function renderKubernetes(folder: string, digest: string | undefined, place: Workplace) {
  for (const each of ['.', 'separate-roles', 'operated']) {
    const path = join(folder, 'examples/kubernetes', each)
    const rendered = await run(['kubectl', 'kustomize', path], { log: place.log('deployment') })
    const images = [...rendered.matchAll(/^ *(?:- )?image: (.*)$/gm)].map(([, image]) => image)
    const others = images.filter((image) => digest && image !== `${address}@${digest}`)
    if (images.length === 0 || others.length > 0) throw new Error(`${each}: names the images ${images.join(', ')}`)
  }
}

/** With a Node of this machine in place of that of an installation, which is not here. */
export async function checkUnit(folder: string, place: Workplace) {
  const unit = readFileSync(join(folder, 'examples/deployment/signet.service'), 'utf8')
  const file = join(place.folder('unit'), 'signet.service')
  writeFileSync(file, replaced(unit, '/opt/signet/node_modules/.bin/node', process.execPath))
  await run(['systemd-analyze', 'verify', file], { log: place.log('deployment') })
}
