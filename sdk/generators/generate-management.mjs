// `node generate-management.mjs <document> <folder>`: writes what `sdk/management` has of an OpenAPI document into a folder.
import { readFileSync } from 'node:fs'
import { createClient } from '@hey-api/openapi-ts'

const [document, path] = process.argv.slice(2)
const input = JSON.parse(readFileSync(document, 'utf8'))
// The address of whoever generates is nobody else's.
delete input.servers
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
