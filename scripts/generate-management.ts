// `npm run generate`: writes the generated part of sdk/management anew, from the document that this Signet serves.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { cleanup, root, run, runToEnd, stopAfter } from './program.ts'

const limitMs = 120_000

const failure = await runToEnd(async () => {
  stopAfter(limitMs)
  const folder = mkdtempSync(join(tmpdir(), 'signet-document-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const document = join(folder, 'openapi.json')
  console.log('Starting a Signet for its OpenAPI document…')
  writeFileSync(document, await readDocument(folder))
  const generator = join(root, 'sdk/generators/generate-management.mjs')
  const generated = join(root, 'sdk/management/src/generated')
  execFileSync(process.execPath, [generator, document, generated], { stdio: 'inherit' })
  console.log(`Written: ${generated}`)
})
if (failure) console.error(`Failed: ${failure.message}`)
process.exit(failure ? 1 : 0)

async function readDocument(folder: string): Promise<string> {
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: `${port}`, SIGNET_DATA_DIR: join(folder, 'data') }
  const signet = run('server/src/main.ts', { env })
  await signet.until(/^Ready/m)
  const reply = await fetch(`http://127.0.0.1:${port}/openapi.json`)
  if (!reply.ok) throw new Error(`the document is answered with ${reply.status}`)
  return reply.text()
}
