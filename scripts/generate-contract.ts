// `npm run generate -- contract`: writes what the version of package.json promises, which later ones are compared with.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../server/src/ground/runtime/version.ts'
import { currentErrorCodes, currentEvents, currentMetrics, promisedSettings } from './contract/current.ts'
import { reduceDocument } from './contract/document.ts'
import { type Contract, contractsFolder } from './contract/kept.ts'
import { readableJson } from './contract/readable-json.ts'
import { readOpenApiDocument } from './openapi-document.ts'
import { root, runToEnd, stopAfter } from './program.ts'

const limitMs = 120_000
const folder = join(contractsFolder, version)
const isReleased = !readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(`## ${version} (unreleased)`)

const failure = await runToEnd(async () => {
  if (isReleased && existsSync(folder)) return console.log(`${version} is released, and its contract is kept.`)
  stopAfter(limitMs)
  const parts: Contract = {
    openapi: reduceDocument(JSON.parse(await readOpenApiDocument())),
    events: currentEvents(),
    settings: promisedSettings(),
    metrics: currentMetrics(),
    'error-codes': currentErrorCodes(),
  }
  mkdirSync(folder, { recursive: true })
  for (const [name, part] of Object.entries(parts)) writeFileSync(join(folder, `${name}.json`), readableJson(part))
  console.log(`Written: ${folder}`)
})
if (failure) console.error(`Failed: ${failure.message}`)
process.exit(failure ? 1 : 0)
