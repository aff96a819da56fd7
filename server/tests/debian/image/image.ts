import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repository } from '../../support/program.ts'

/**
 * The Dockerfile built by buildah, and run by `unshare` and `chroot`: neither needs a daemon, or more of a kernel than a
 * container has that the tests themselves may run in.
 */
export type Image = {
  /** The root of its file system. */
  root: string
  /** As `docker inspect` names them. */
  config: {
    User: string
    Env: string[]
    Cmd: string[]
    WorkingDir: string
    StopSignal: string
    Healthcheck: { Test: string[] }
  }
  remove(): void
}

/** Kept between runs: making the base takes minutes. */
const storage = join(tmpdir(), 'signet-image')
const ownBase = 'localhost/signet-base'
const name = 'localhost/signet-under-test'
const maxOutput = 64 * 1_048_576

const say = (line: string) => console.log(line)

const buildah = (...args: string[]): string =>
  execFileSync(
    'buildah',
    ['--root', join(storage, 'root'), '--runroot', join(storage, 'run'), '--storage-driver', 'vfs', ...args],
    { cwd: repository, encoding: 'utf8', maxBuffer: maxOutput, stdio: ['ignore', 'pipe', 'inherit'] },
  ).trim()

/** SIGNET_IMAGE_BASE: an image that this machine can pull. By default Debian with the Node of this clone, for which no image is pulled. */
export function buildImage(): Image {
  mkdirSync(storage, { recursive: true, mode: 0o711 })
  const base = process.env.SIGNET_IMAGE_BASE ?? makeBase()
  say('Building the image…')
  // Only this format keeps the health check.
  buildah('bud', '--format=docker', '--isolation=chroot', `--build-arg=BASE=${base}`, `--tag=${name}`, '.')
  const container = buildah('from', name)
  const root = buildah('mount', container)
  return {
    root,
    config: JSON.parse(buildah('inspect', '--type=image', name)).Docker.config,
    remove: () => {
      buildah('rm', container)
      buildah('rmi', name)
    },
  }
}

/** Debian 12, Node and npm where the image `node` has them, and its user. */
function makeBase(): string {
  if (buildah('images', '--quiet', '--filter', `reference=${ownBase}`)) return ownBase
  say('Making a base of Debian 12 (some minutes)…')
  const folder = mkdtempSync(join(storage, 'base-'))
  execFileSync('debootstrap', ['--variant=minbase', '--include=libstdc++6,ca-certificates', 'bookworm', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  addNode(join(folder, 'usr/local'))
  execFileSync('chroot', [folder, 'useradd', '--create-home', '--uid=1000', '--shell=/bin/bash', 'node'])
  const container = buildah('from', 'scratch')
  buildah('add', '--quiet', container, folder, '/')
  buildah('commit', '--quiet', '--rm', container, ownBase)
  rmSync(folder, { recursive: true })
  return ownBase
}

function addNode(folder: string) {
  copyFileSync(process.execPath, join(folder, 'bin/node'))
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())))
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

/**
 * Runs a command in the image as its own user, with its file system read-only and an empty /tmp, in the network of this machine. The
 * environment is that of the image and `environment`. A signal reaches the command itself.
 */
export function runIn({ root, config }: Image, command: string[], environment: Record<string, string>): ChildProcess {
  const setUp = [
    'mount --bind "$ROOT" "$ROOT"',
    'mount -t proc proc "$ROOT/proc"',
    'mount --bind /dev "$ROOT/dev"',
    'mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"',
    'mount -o remount,bind,ro "$ROOT"',
    'exec chroot --userspec="$USER_OF_IMAGE" --groups= "$ROOT" env -i "$@"',
  ].join(' && ')
  const given = Object.entries(environment).map(([key, value]) => `${key}=${value}`)
  const inside = [`--chdir=${config.WorkingDir}`, ...config.Env, ...given, ...command]
  return spawn('unshare', ['--mount', 'sh', '-c', setUp, 'sh', ...inside], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ROOT: root, USER_OF_IMAGE: config.User },
  })
}
