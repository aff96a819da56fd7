import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../run.ts'
import type { Config } from './build.ts'

type Descriptor = { digest: string; size: number }

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const blob = (layout: string, digest: string) => join(layout, 'blobs', digest.replace(':', '/'))

/** By which a registry names the image. */
export const digestOf = (layout: string): string => read(join(layout, 'index.json')).manifests[0].digest

/**
 * Docker keeps a health check in images of OCI too, in their configuration, where buildah drops it because the standard does not have it.
 */
export function addHealthCheck(layout: string, { Healthcheck }: Config) {
  const index = read(join(layout, 'index.json'))
  const [reference]: [Descriptor] = index.manifests
  const manifest: { config: Descriptor } = take(layout, reference)
  const config = take(layout, manifest.config)
  Object.assign(manifest.config, put(layout, { ...config, config: { ...config.config, Healthcheck } }))
  Object.assign(reference, put(layout, manifest))
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index))
}

function take(layout: string, { digest }: Descriptor) {
  const content = read(blob(layout, digest))
  rmSync(blob(layout, digest))
  return content
}

function put(layout: string, content: object): Descriptor {
  const text = JSON.stringify(content)
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  writeFileSync(blob(layout, digest), text)
  return { digest, size: Buffer.byteLength(text) }
}

/** The same bytes for the same layout. */
export async function writeArchive(layout: string, file: string, epoch: number, log: string) {
  const same = ['--sort=name', `--mtime=@${epoch}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
  await run(['tar', ...same, '-cf', file, '-C', layout, 'oci-layout', 'index.json', 'blobs'], { log })
}
