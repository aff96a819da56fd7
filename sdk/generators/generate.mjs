// `node generate.mjs <document> <folder>`: writes a typed client of an OpenAPI document into a folder.
import { createClient } from '@hey-api/openapi-ts'

const [input, path] = process.argv.slice(2)
await createClient({
  input,
  // Node runs what is written as it is, so imports carry their extension.
  output: { path, module: { extension: '.ts' } },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  logs: { level: 'error' },
})
