import { execFileSync, spawnSync } from 'node:child_process'
import { hasOldRelease } from '../server/tests/upgrade/support/old-release.ts'
import type { Suite } from './suites.ts'

/** What this machine lacks for the suite, in one line; undefined where it can be run. */
export function missingFor({ packages = [], needs = [], server }: Suite): string | undefined {
  const missing = [
    ...missingPackages(packages),
    ...(needs.includes('root') && process.getuid?.() !== 0 ? ['root'] : []),
    ...(needs.includes('history') && !hasOldRelease() ? ['the history (git fetch --unshallow)'] : []),
    ...(server === 'given' && !process.env.SIGNET_TEST_SERVER ? ['SIGNET_TEST_SERVER'] : []),
  ]
  return missing.length > 0 ? missing.join(', ') : undefined
}

/** Of these packages of Debian, those that are not installed; all, where the machine knows no such packages. */
export const missingPackages = (names: string[]): string[] => names.filter((name) => !isInstalled(name))

const isInstalled = (name: string): boolean =>
  / installed$/m.test(spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' }).stdout ?? '')

export const howToInstall = (names: string[]): string => `apt-get install --no-install-recommends ${names.join(' ')}`

export function installPackages(names: string[]) {
  const options = { stdio: 'inherit' as const, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  execFileSync('apt-get', ['update'], options)
  execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', ...names], options)
}
