import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Before `npm run test:everything -- image`: tells what is missing, and ends with 1 when that is anything. Of Debian 12. */
const packages = { buildah: 'buildah', debootstrap: 'debootstrap', unshare: 'util-linux', npm: 'npm' }
const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin']

const isProgram = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const missing = Object.entries(packages)
  .filter(([name]) => !folders.some((folder) => isProgram(join(folder, name))))
  .map(([name, from]) => `${name} is missing: apt-get install --no-install-recommends ${from}`)
if (process.getuid?.() !== 0) missing.push('root is needed, for debootstrap and to run in the file system of an image')
for (const line of missing) console.error(line)
process.exit(missing.length === 0 ? 0 : 1)
