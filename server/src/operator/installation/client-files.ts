import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inShell } from '../../ground/runtime/in-shell.ts'
import { writePrivately } from './stored-secrets.ts'

/** Names in the data folder of what the first organization's calls need: for a shell to read, and for `curl -H @…`. */
export const clientFileNames = { environment: 'environment', headers: 'headers' }

type Client = { baseUrl: string; organizationId: string; apiKey: string }

/**
 * Written at each start on the embedded database and left in place, so that a second terminal can call at once. A backup has
 * neither: the start on a restored one writes them again.
 */
export function storeClientFiles(dataDir: string, { baseUrl, organizationId, apiKey }: Client) {
  keepOutOfGit(dataDir)
  const variables = { SIGNET_URL: baseUrl, SIGNET_ORGANIZATION_ID: organizationId, SIGNET_API_KEY: apiKey }
  const headers = {
    'Service-OrgID': organizationId,
    'Service-API-Key': apiKey,
    'Content-Type': 'application/json',
  }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${inShell(value)}`)
  writePrivately(join(dataDir, clientFileNames.environment), lines.join('\n'))
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  writePrivately(join(dataDir, clientFileNames.headers), fields.join('\n'))
}

/** Whatever its name is: a data folder may lie in a clone, and holds keys. */
function keepOutOfGit(dataDir: string) {
  const path = join(dataDir, '.gitignore')
  if (!existsSync(path)) writeFileSync(path, '*\n')
}
