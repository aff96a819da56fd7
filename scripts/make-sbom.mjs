// `npm run build -- sbom`: writes sbom.cdx.json, a CycloneDX document of what `npm start` installs, on any platform, as package-lock.json pins it.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const file = join(root, 'sbom.cdx.json')

const document = productionOnly(allPackages())
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`)
console.log(`sbom.cdx.json: ${document.components.length} packages, CycloneDX ${document.specVersion}`)

function allPackages() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1_048_576 })
  if (status !== 0) throw new Error(`npm sbom ended with ${status}: ${stderr}`)
  return JSON.parse(stdout)
}

/**
 * npm's own `--omit=dev` leaves out every package that a development tool uses as well, `fastify` and `pg` among them (seen with
 * npm 11.19), so that the lockfile decides.
 */
function productionOnly({ metadata, components, dependencies, ...rest }) {
  const kept = new Set([metadata.component['bom-ref'], ...productionRefs()])
  return {
    ...rest,
    metadata: { ...metadata, component: named(metadata.component) },
    components: components.filter((each) => kept.has(each['bom-ref'])).map(named),
    dependencies: dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) })),
  }
}

function productionRefs() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path && !dev && !link)
    .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`)
}

/** npm names a package of the repository after its folder. */
function named(component) {
  return { ...component, name: component['bom-ref'].replace(/@[^@]*$/, '') }
}
