import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingPackages } from '../../tests/requirements.ts'
import { writeBundle } from '../copy.ts'
import { baseOfImage, type Image } from '../image/build.ts'
import { publish } from '../registry.ts'
import type { Release } from '../release.ts'
import { run } from '../run.ts'
import { billOfImage } from './bill-of-image.ts'
import { type Bill, faultsOf, writeBill } from './bill-of-materials.ts'
import { billOfPackage } from './bill-of-package.ts'
import { checkPackage } from './check-package.ts'
import { writeChecksums } from './checksums.ts'
import { makeConformanceKit, tryConformanceKit } from './conformance-kit.ts'
import { checkUnit, copyDeployment, renderKubernetes } from './deployment.ts'
import { makeImage, unpackImage } from './image.ts'
import { notesOf } from './notes.ts'
import { makePackages } from './packages.ts'

/** Makes all files of the release. Gives the image, where one can be built. */
export async function makeArtifacts(release: Release): Promise<Image | undefined> {
  await makeSource(release)
  await publishPackages(release)
  await makeKit(release)
  const image = await makeArchive(release)
  await makeDeployment(release, image?.digest)
  const { folder, journal, place } = release
  writeChecksums(folder)
  const check = async () => {
    await run(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: folder, log: place.log('checksums') })
  }
  await journal.proveFile(join(folder, 'SHA256SUMS'), 'sha256sum --check', check)
  return image
}

async function makeSource({ copy, folder, place, journal }: Release) {
  const tag = `v${copy.version}`
  const bundle = join(folder, `signet-${copy.version}.bundle`)
  await writeBundle(copy, bundle, place)
  const verify = async () => {
    await run(['git', 'bundle', 'verify', bundle], { cwd: copy.folder, log: place.log('copy') })
  }
  await journal.proveFile(bundle, `the commit of the release and its tag ${tag}`, verify)
  const notes = join(folder, 'release-notes.md')
  writeFileSync(notes, notesOf(readFileSync(join(copy.folder, 'CHANGELOG.md'), 'utf8'), copy.version))
  await journal.proveFile(notes, 'of CHANGELOG.md', async () => {})
}

async function publishPackages(release: Release) {
  const { copy, folder, registry, place, journal } = release
  await journal.prove('dependencies', 'npm ci in a clone of the commit', async () => {
    await run(['npm', 'ci', '--no-progress'], { cwd: copy.folder, log: place.log('packages') })
  })
  const make = () => makePackages(copy, folder, place)
  const packages = (await journal.prove('packages', 'built twice, the same bytes', make)) ?? []
  const publication = 'published to a registry on loopback'
  await journal.prove('packages', publication, () => publish(packages, registry, place))
  for (const { name, file } of packages)
    await journal.proveFile(file, 'publint, arethetypeswrong, bill of what npm installs', async () => {
      await checkPackage(file)
      const subject = { name, version: copy.version, epoch: copy.epoch, file }
      const bill = await billOfPackage(subject, registry, place)
      return keepBill(bill, file.replace(/\.tgz$/, '.cdx.json'))
    })
}

async function makeKit({ copy, folder, place, journal }: Release) {
  const make = async () => ({ file: await makeConformanceKit(copy, folder, place) })
  const kit = await journal.prove('conformance kit', 'packed', make)
  if (!kit) return
  await journal.proveFile(kit.file, 'passed by the receiver that comes with it', () =>
    tryConformanceKit(kit.file, place),
  )
}

/** Gives how many components there are. */
function keepBill(bill: Bill, file: string): string {
  const faults = faultsOf(bill)
  if (faults.length > 0) throw new Error(`${file}: ${faults.join(', ')}`)
  writeBill(bill, file)
  return `${bill.components.length}`
}

async function makeArchive({ copy, folder, place, journal }: Release) {
  const needs = [...missingPackages(['buildah', 'debootstrap']), ...(process.getuid?.() === 0 ? [] : ['root'])]
  if (needs.length > 0) {
    journal.cannot('image', `not built: needs ${needs.join(', ')}`)
    return undefined
  }
  const make = () => makeImage(copy, folder, place)
  const archive = await journal.prove('image', `built twice, the same digest; on ${baseOfImage}`, make)
  if (!archive) return undefined
  const { file, digest, architecture } = archive
  const image = await journal.prove('image', 'unpacked from its archive', () => unpackImage(archive, place))
  if (!image) return undefined
  await journal.proveFile(file, 'bill of what it holds', async () => {
    const subject = { name: 'signet', version: copy.version, epoch: copy.epoch, digest, architecture }
    return keepBill(await billOfImage(subject, image.root, place), file.replace(/\.oci\.tar$/, '.cdx.json'))
  })
  return { ...image, digest }
}

async function makeDeployment({ copy, folder: all, place, journal }: Release, digest: string | undefined) {
  const folder = join(all, 'deployment')
  const names = digest ? 'the image by its digest' : 'the image by its version'
  const render = async () => {
    copyDeployment(copy, folder, digest)
    await renderKubernetes(folder, digest, place)
  }
  if (!has('kubectl')) return journal.cannot('deployment', 'kubectl is not installed')
  await journal.prove('deployment', `compose file, kustomizations rendered by kubectl, with ${names}`, render)
  const unit = join(folder, 'examples/deployment/signet.service')
  if (has('systemd-analyze')) await journal.proveFile(unit, 'systemd-analyze verify', () => checkUnit(folder, place))
  else journal.cannot('signet.service', 'systemd-analyze is not installed')
}

const has = (program: string) => spawnSync('which', [program]).status === 0
