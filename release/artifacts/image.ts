import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Copy } from '../copy.ts'
import { addHealthCheck, digestOf, writeArchive } from '../image/archive.ts'
import { buildImage, type Image, openImage, pushLayout } from '../image/build.ts'
import { cleanup } from '../run.ts'
import type { Workplace } from '../workplace.ts'

type Archive = { file: string; digest: string; architecture: string }

const architecture = process.arch === 'x64' ? 'amd64' : process.arch

/** The image as an archive of OCI in `folder`. Built a second time, it has to have the same digest. */
export async function makeImage(copy: Copy, folder: string, place: Workplace): Promise<Archive> {
  const [first, second] = [await makeLayout('first', copy, place), await makeLayout('second', copy, place)]
  const digest = digestOf(first)
  if (digestOf(second) !== digest) throw new Error(`built twice, and not the same: ${digest} and ${digestOf(second)}`)
  rmSync(second, { recursive: true })
  const file = join(folder, `signet-${copy.version}-${architecture}.oci.tar`)
  await writeArchive(first, file, copy.epoch, place.log('image'))
  rmSync(first, { recursive: true })
  return { file, digest, architecture }
}

async function makeLayout(which: string, copy: Copy, place: Workplace): Promise<string> {
  const log = place.log('image')
  const name = `localhost/signet-${process.pid}-${which}`
  await buildImage(name, copy.folder, { log, epoch: copy.epoch })
  const layout = join(place.folder('layouts'), which)
  await pushLayout(name, layout, copy.version, log)
  const image = await openImage(name, log)
  addHealthCheck(layout, image.config)
  await image.remove()
  return layout
}

/** What is in the archive, and not what was built here before. */
export async function unpackImage({ file }: Archive, place: Workplace): Promise<Image> {
  const image = await openImage(`oci-archive:${file}`, place.log('image'))
  cleanup.defer(image.remove)
  return image
}
