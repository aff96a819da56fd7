import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onlyFrom, type Registry } from '../registry.ts'
import { run } from '../run.ts'
import type { Workplace } from '../workplace.ts'
import { type Bill, type Component, identified, purlOf, type Subject } from './bill-of-materials.ts'

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
