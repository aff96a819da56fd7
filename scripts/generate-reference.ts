// `npm run generate -- reference`: writes the pages of reference that come from the code.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './program.ts'
import { pages } from './reference/pages.ts'

for (const { path, render } of pages) writeFileSync(join(root, path), await render())
console.log(`Written: ${pages.map(({ path }) => path).join(', ')}`)
