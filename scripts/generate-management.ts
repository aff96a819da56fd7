// `npm run generate`: writes the generated part of sdk/management anew, from the document that this Signet serves.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOpenApiDocument } from './openapi-document.ts'
import { cleanup, root, runToEnd, stopAfter } from './program.ts'

const limitMs = 120_000

const failure = await runToEnd(async () => {
  stopAfter(limitMs)
  const folder = mkdtempSync(join(tmpdir(), 'signet-document-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const document = join(folder, 'openapi.json')
  writeFileSync(document, await readOpenApiDocument())
  const generator = join(root, 'sdk/generators/generate-management.mjs')
  const generated = join(root, 'sdk/management/src/generated')
  execFileSync(process.execPath, [generator, document, generated], { stdio: 'inherit' })
  console.log(`Written: ${generated}`)
})
if (failure) console.error(`Failed: ${failure.message}`)
process.exit(failure ? 1 : 0)
