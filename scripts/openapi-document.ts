import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { cleanup, run } from './program.ts'

/** The text of the document that this Signet serves. */
export async function readOpenApiDocument(): Promise<string> {
  console.log('Starting a Signet for its OpenAPI document…')
  const folder = mkdtempSync(join(tmpdir(), 'signet-document-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: `${port}`, SIGNET_DATA_DIR: join(folder, 'data') }
  const signet = run('server/src/main.ts', { env })
  await signet.until(/^Ready/m)
  const reply = await fetch(`http://127.0.0.1:${port}/openapi.json`)
  if (!reply.ok) throw new Error(`the document is answered with ${reply.status}`)
  return reply.text()
}
