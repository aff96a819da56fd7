// `npm run build -- help`, or `node help/build.ts`: makes the site in help/dist.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeSite } from './src/index.ts'

const began = performance.now()
const dist = join(import.meta.dirname, 'dist')
const files = await makeSite(join(import.meta.dirname, '..'))
rmSync(dist, { recursive: true, force: true })
for (const [name, content] of files) {
  const path = join(dist, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
console.log(`Built ${files.size} files of the help in ${((performance.now() - began) / 1_000).toFixed(1)} s.`)
