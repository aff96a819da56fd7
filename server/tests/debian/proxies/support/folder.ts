import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unprivileged } from './run-program.ts'

/** A folder that ends with `life`. Whom the programs run as may write there. */
export function openFolder(life: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-proxies-'))
  life.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  giveAway(folder)
  return folder
}

export function makeFolder(path: string): string {
  mkdirSync(path)
  giveAway(path)
  return path
}

function giveAway(path: string) {
  if (process.getuid?.() === 0) chownSync(path, unprivileged.uid, unprivileged.gid)
}
