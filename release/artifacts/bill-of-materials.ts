// Bills of materials (CycloneDX 1.5): what installing a package brings, and what an image holds.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onlyFrom, type Registry } from '../registry.ts'
import { run } from '../run.ts'
import type { Workplace } from '../workplace.ts'

type Component = {
  'bom-ref': string
  type: string
  name: string
  version: string
  purl?: string
  scope?: 'optional'
  hashes?: { alg: 'SHA-512'; content: string }[]
}
type Dependency = { ref: string; dependsOn?: string[] }
export type Bill = {
  bomFormat: 'CycloneDX'
  specVersion: string
  serialNumber?: string
  version: 1
  metadata: { timestamp?: string; component: Component }
  components: Component[]
  dependencies?: Dependency[]
}
type Subject = { name: string; version: string; epoch: number }

const project = { name: 'empty', version: '0.0.0', private: true }

/** Lists in a package: of what others wrote and it holds itself, and of what it has npm fetch once it is needed. */
const lists = { 'package/bundled/packages.json': undefined, 'package/fetched.json': 'optional' } as const

/** Of a package in the registry: what npm would install on any platform, and what the package's own lists name. */
export async function billOfPackage(
  subject: Subject & { file: string },
  registry: Registry,
  place: Workplace,
): Promise<Bill> {
  const cwd = place.folder(join('bills', subject.name))
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(project))
  // Else the bill would name the registry of the rehearsal.
  writeFileSync(join(cwd, '.npmrc'), `${registry.settings}omit-lockfile-registry-resolved=true\n`)
  const given = { cwd, log: place.log('bills') }
  const spec = `${subject.name}@${subject.version}`
  await run(['npm', 'install', '--package-lock-only', '--save-exact', ...onlyFrom(registry), spec], given)
  const printed = await run(['npm', 'sbom', '--package-lock-only', '--sbom-format=cyclonedx'], given)
  return aboutPackage(JSON.parse(printed), subject, await listedIn(subject.file, given.log))
}

async function listedIn(file: string, log: string): Promise<Component[]> {
  const tar = (...args: string[]) => run(['tar', ...args], { log })
  const held = (await tar('-tzf', file)).split('\n')
  const found = Object.entries(lists).filter(([path]) => held.includes(path))
  const read = async ([path, scope]: (typeof found)[number]) =>
    JSON.parse(await tar('-xzOf', file, path)).map((each: Listed) => listed(each, scope))
  return (await Promise.all(found.map(read))).flat()
}

type Listed = { name: string; version: string; integrity: string }

function listed({ name, version, integrity }: Listed, scope: 'optional' | undefined): Component {
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
  const purl = purlOf(name, version)
  const component = { 'bom-ref': `${name}@${version}`, type: 'library', name, version, purl }
  return { ...component, ...(scope && { scope }), hashes: [{ alg: 'SHA-512', content }] }
}

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** npm writes of a project that has the package; the bill is the package's, with the components that it brings `besides`. */
export function aboutPackage(ofProject: Bill, { name, version, epoch }: Subject, besides: Component[] = []): Bill {
  const ref = `${name}@${version}`
  const component = ofProject.components.find((each) => each['bom-ref'] === ref)
  if (!component) throw new Error(`the bill of materials lacks ${ref}`)
  const known = new Set(ofProject.components.map((each) => each['bom-ref']))
  const added = besides.filter((each) => !known.has(each['bom-ref']))
  const refs = added.map((each) => each['bom-ref'])
  const dependencies = (ofProject.dependencies ?? [])
    .filter((each) => each.ref !== `${project.name}@${project.version}`)
    .map((each) => (each.ref === ref ? { ...each, dependsOn: [...(each.dependsOn ?? []), ...refs] } : each))
  const components = [...ofProject.components.filter((each) => each !== component), ...added]
  return identified({ ...ofProject, metadata: { ...ofProject.metadata, component }, components, dependencies }, epoch)
}

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

/** Made again of the same commit, it is the same: its time is that of the commit, and its number follows from its content. */
function identified(bill: Bill, epoch: number): Bill {
  const timestamp = new Date(epoch * 1_000).toISOString()
  const { serialNumber: _, ...rest } = { ...bill, metadata: { ...bill.metadata, timestamp } }
  const hash = createHash('sha256').update(JSON.stringify(rest)).digest('hex')
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(hash) ?? []
  return { ...rest, serialNumber: `urn:uuid:${a}-${b}-8${c}-8${d}-${e}` }
}

/** What is wrong with a bill, in one line each: a component without a name that scanners know, or a dependency on nothing. */
export function faultsOf(bill: Bill): string[] {
  const refs = new Set([bill.metadata.component, ...bill.components].map((each) => each['bom-ref']))
  const named = bill.dependencies?.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]) ?? []
  return [
    ...(bill.bomFormat === 'CycloneDX' && bill.specVersion ? [] : ['not CycloneDX']),
    ...(bill.components.length > 0 || bill.dependencies ? [] : ['no components']),
    ...bill.components
      .filter(({ version, purl }) => !version || !purl)
      .map(({ name }) => `${name}: no version or purl`),
    ...named.filter((ref) => !refs.has(ref)).map((ref) => `${ref}: not a component`),
    ...(refs.size === bill.components.length + 1 ? [] : ['a component twice']),
  ]
}

export const writeBill = (bill: Bill, file: string) => writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`)
