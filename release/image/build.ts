// The Dockerfile built by buildah, which needs no daemon, or more of a kernel than a container has that this itself may run in.
import { copyFileSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeOwnFolder } from '../../server/src/ground/runtime/own-folder.ts'
import { run } from '../run.ts'

/** As `docker inspect` names them. */
export type Config = {
  User: string
  Env: string[]
  Cmd: string[]
  WorkingDir: string
  StopSignal: string
  Healthcheck: { Test: string[] }
}
export type Image = {
  /** The root of its file system. */
  root: string
  config: Config
  remove(): Promise<void>
}

/** Kept between runs: making the base takes minutes. */
const storage = join(tmpdir(), 'signet-image')
const ownBase = 'localhost/signet-base'

export const baseOfImage = process.env.SIGNET_IMAGE_BASE ?? 'a base of Debian 12 made here, not the official image'

const buildah = (log: string, ...args: string[]): Promise<string> => {
  const places = ['--root', join(storage, 'root'), '--runroot', join(storage, 'run'), '--storage-driver', 'vfs']
  return run(['buildah', ...places, ...args], { log })
}

/**
 * Builds the Dockerfile of a clone as the image `name`. `epoch`: the time, in seconds, of all files that are made.
 * SIGNET_IMAGE_BASE: an image that this machine can pull. By default Debian with the Node of this clone, for which no image is pulled.
 */
export async function buildImage(name: string, clone: string, { log, epoch }: { log: string; epoch?: number }) {
  makeOwnFolder(storage, 0o711)
  const base = process.env.SIGNET_IMAGE_BASE ?? (await makeBase(log))
  const time = epoch === undefined ? [] : [`--timestamp=${epoch}`]
  // Only this format keeps the health check.
  const form = ['--format=docker', '--isolation=chroot', ...time]
  await buildah(log, 'bud', '--quiet', ...form, `--build-arg=BASE=${base}`, `--tag=${name}`, clone)
}

/** `source`: an image that was built, or an archive. */
export async function openImage(source: string, log: string): Promise<Image> {
  makeOwnFolder(storage, 0o711)
  const container = await buildah(log, 'from', '--pull=false', source)
  const root = await buildah(log, 'mount', container)
  const { Docker, FromImageID } = JSON.parse(await buildah(log, 'inspect', container))
  return {
    root,
    config: Docker.config,
    remove: async () => {
      await buildah(log, 'rm', container)
      await buildah(log, 'rmi', '--force', FromImageID)
    },
  }
}

/** Writes an image as a layout of OCI into a folder. */
export const pushLayout = (name: string, folder: string, version: string, log: string) =>
  buildah(log, 'push', name, `oci:${folder}:${version}`)

/** Debian 12, Node and npm where the image `node` has them, and its user. */
async function makeBase(log: string): Promise<string> {
  if (await buildah(log, 'images', '--quiet', '--filter', `reference=${ownBase}`)) return ownBase
  const folder = mkdtempSync(join(storage, 'base-'))
  const packages = '--include=libstdc++6,ca-certificates'
  await run(['debootstrap', '--variant=minbase', packages, 'bookworm', folder], { log })
  await addNode(join(folder, 'usr/local'), log)
  await run(['chroot', folder, 'useradd', '--create-home', '--uid=1000', '--shell=/bin/bash', 'node'], { log })
  const container = await buildah(log, 'from', 'scratch')
  await buildah(log, 'add', '--quiet', container, folder, '/')
  await buildah(log, 'commit', '--quiet', '--rm', container, ownBase)
  rmSync(folder, { recursive: true })
  return ownBase
}

async function addNode(folder: string, log: string) {
  copyFileSync(process.execPath, join(folder, 'bin/node'))
  const npm = dirname(dirname(realpathSync(await run(['which', 'npm'], { log }))))
  cpSync(npm, join(folder, 'lib/node_modules/npm'), { recursive: true, dereference: true })
  writeFileSync(join(folder, 'bin/npm'), '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n', {
    mode: 0o755,
  })
  // npm in the base trusts the certificate authorities that this machine trusts.
  const authorities = '/etc/ssl/certs/ca-certificates.crt'
  if (!existsSync(authorities)) return
  copyFileSync(authorities, join(folder, 'etc/authorities.pem'))
  writeFileSync(join(folder, 'etc/npmrc'), 'cafile=/usr/local/etc/authorities.pem\n')
}
