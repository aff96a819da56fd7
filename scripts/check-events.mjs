// Checks the event contract in proto/: its style, that nothing released is broken, and that the generated code is up to
// date. Run from the root of the repository; works without a network.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { eventSchemas, schemasFile } from './event-schemas.mjs'
import { typesFile, webhookTypes } from './webhook-types.mjs'

const binaries = resolve('node_modules/.bin')
// buf starts protoc-gen-es by name.
const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}` }
const buf = (...args) =>
  execFileSync(join(binaries, 'buf'), args, { cwd: 'proto', env, encoding: 'utf8', stdio: 'pipe' })

const contentOf = (folder) =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]),
  )

function checkGenerated() {
  const folder = mkdtempSync(join(tmpdir(), 'signet-events-'))
  try {
    buf('generate', '--output', folder)
    const [committed, fresh] = [contentOf(join('proto', 'gen')), contentOf(join(folder, 'gen'))]
    const stale = [...new Set([...committed.keys(), ...fresh.keys()])].filter((f) => committed.get(f) !== fresh.get(f))
    if (stale.length > 0) throw new Error(`out of date: ${stale.join(', ')}; run npm run generate -w @signet/proto`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const checkMade = (file, make) => () => {
  if (readFileSync(file, 'utf8') === make()) return
  throw new Error(`${file} is out of date; run npm run generate -w @signet/proto`)
}

const checks = {
  'events: style (buf lint)': () => buf('lint'),
  'events: nothing released is broken (buf breaking)': () => buf('breaking', '--against', 'baseline.binpb'),
  'events: generated code is up to date': checkGenerated,
  'events: types of @signet/webhooks are up to date': checkMade(typesFile, webhookTypes),
  'events: JSON Schemas are up to date': checkMade(schemasFile, eventSchemas),
}

for (const [name, check] of Object.entries(checks)) {
  try {
    check()
    console.log(`ok    ${name}`)
  } catch (error) {
    console.log(`FAIL  ${name}\n${error.stdout || error.stderr || error.message}`)
    process.exitCode = 1
  }
}
