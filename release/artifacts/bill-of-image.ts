import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../run.ts'
import type { Workplace } from '../workplace.ts'
import { type Bill, type Component, identified, purlOf, type Subject } from './bill-of-materials.ts'

/** Of the image whose file system is at `root`: the packages of Debian, Node, and every package of npm. */
export async function billOfImage(
  subject: Subject & { digest: string; architecture: string },
  root: string,
  place: Workplace,
): Promise<Bill> {
  const { name, version, digest, architecture, epoch } = subject
  const ref = `${name}@${version}`
  const components = [...(await packagesOfDebian(root, place)), ...packagesOfNpm(root)]
  const component = {
    'bom-ref': ref,
    type: 'container',
    name,
    version,
    purl: `pkg:oci/${name}@${encodeURIComponent(digest)}?arch=${architecture}`,
  }
  return identified(
    { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component }, components },
    epoch,
  )
}

async function packagesOfDebian(root: string, place: Workplace): Promise<Component[]> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own.
  const format = '--showformat=${Package} ${Version} ${Architecture}\\n'
  const printed = await run(['dpkg-query', `--admindir=${join(root, 'var/lib/dpkg')}`, '--show', format], {
    log: place.log('bills'),
  })
  return printed.split('\n').map((line) => {
    const [name = '', version = '', architecture = ''] = line.split(' ')
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`
    return { 'bom-ref': purl, type: 'library', name, version, purl }
  })
}

function packagesOfNpm(root: string): Component[] {
  const manifests = globSync('{opt/signet,usr/local/lib}/**/node_modules/{[^@.]*,@*/*}/package.json', { cwd: root })
  const components = manifests.flatMap((path) => {
    const { name, version } = JSON.parse(readFileSync(join(root, path), 'utf8'))
    if (!name || !version) return []
    const purl = purlOf(name, version)
    return [{ 'bom-ref': purl, type: 'library', name, version, purl }]
  })
  const node = nodeOf(root)
  const once = new Map([...node, ...components].map((each) => [each['bom-ref'], each]))
  return [...once.values()].sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1))
}

/** The official image has its headers, a base made here has not. */
function nodeOf(root: string): Component[] {
  const file = readFileSync(join(root, 'usr/local/bin/node')).toString('latin1')
  const version = /node-v(\d+\.\d+\.\d+)/.exec(file)?.[1]
  if (!version) return []
  const purl = `pkg:generic/node@${version}`
  return [{ 'bom-ref': purl, type: 'application', name: 'node', version, purl }]
}
