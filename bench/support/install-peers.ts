import { execSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What Signet is measured beside is no dependency of it: installed by who first needs it, and after its lockfile changed. */
export function installPeers() {
  const folder = join(import.meta.dirname, '../peers')
  const installed = join(folder, 'node_modules/.package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs)
    return
  console.log('Installing what Signet is measured beside into bench/peers (first run only)')
  execSync('npm ci', { cwd: folder, stdio: 'inherit' })
}
