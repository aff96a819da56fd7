import { copyFileSync, globSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Copy } from '../copy.ts'
import { run } from '../run.ts'
import type { Workplace } from '../workplace.ts'

/** Packs the kit in the copy. Gives the path of its archive in `folder`. */
export async function makeConformanceKit(copy: Copy, folder: string, place: Workplace): Promise<string> {
  await run(['npm', 'run', 'build', '--', 'conformance-kit'], { cwd: copy.folder, log: place.log('conformance-kit') })
  const [made] = globSync(join(copy.folder, 'dist/signet-receiver-conformance-*.tgz'))
  if (!made) throw new Error('no archive of the conformance kit was made')
  const file = join(folder, basename(made))
  copyFileSync(made, file)
  return file
}

/** As its page says: unpacked, and run against the receiver that comes with it. */
export async function tryConformanceKit(file: string, place: Workplace) {
  const [cwd, log] = [place.folder('conformance-kit'), place.log('conformance-kit')]
  await run(['tar', '-xzf', file, '--strip-components=1'], { cwd, log })
  await run(['node', 'run.js', '--', 'node', 'example-adapter.js'], { cwd, log })
}
