// `node generate-management.mjs <document> <folder>`: writes what `sdk/management` has of an OpenAPI document into a folder.
import { readFileSync } from 'node:fs'
import { createClient } from '@hey-api/openapi-ts'

const [document, path] = process.argv.slice(2)
const input = JSON.parse(readFileSync(document, 'utf8'))
// The address of whoever generates is nobody else's.
delete input.servers
// What is only a stream is left out: the generated reader of streams hides refusals, and repeats what was refused for ever.
for (const operations of Object.values(input.paths))
  for (const [method, { responses }] of Object.entries(operations)) if (isStream(responses)) delete operations[method]
await createClient({
  input,
  output: { path, module: { extension: '.ts' } },
  plugins: [
    '@hey-api/typescript',
    // One class, whose methods give what an operation answers and throw what it refuses.
    { name: '@hey-api/sdk', responseStyle: 'data', operations: { strategy: 'single', containerName: 'Operations' } },
    { name: '@hey-api/client-fetch', throwOnError: true },
  ],
  logs: { level: 'error', file: false },
})

function isStream(responses) {
  const types = Object.keys(responses?.[200]?.content ?? {})
  return types.length === 1 && types[0] === 'text/event-stream'
}
