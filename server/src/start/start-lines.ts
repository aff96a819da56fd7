import { join, relative } from 'node:path'
import { createBuiltHelp } from '../ground/help/index.ts'
import { inShell } from '../ground/runtime/in-shell.ts'
import { createBuiltConsole } from '../identity/console/index.ts'
import { clientFileNames, firstApiKeyPath, operatorKeyPath } from '../operator/installation/index.ts'
import type { Config } from './config.ts'
import type { First } from './first-organization.ts'

export const warning = (line: string) => `Warning: ${line}`

export const addresses = ({ baseUrl, roles }: Config) => [
  `Base URL: ${baseUrl}`,
  ...(roles.api && createBuiltConsole().exists() ? [`Console: ${baseUrl}/console`] : []),
  ...(roles.api ? [`Reference: ${baseUrl}/docs`] : ['Role: worker only, no API here']),
  ...(roles.api && createBuiltHelp().exists() ? [`Help: ${baseUrl}/help`] : []),
]

/** The first key is shown once, and not in a journal, which would keep it. */
export function credentials({ dataDir, isJournaled }: Config, { isNew, client }: First): string[] {
  const operator = `Operator key: kept in ${operatorKeyPath(dataDir)}`
  if (!client) {
    const advice = `to renew ${Object.values(clientFileNames).join(' and ')} there, put another into it`
    return [`API key: the one in ${firstApiKeyPath(dataDir)} is not valid any more; ${advice}`, operator]
  }
  const { organizationId, apiKey } = client
  const { environment, headers } = clientFilesIn(dataDir)
  return [
    `Organization ID: ${organizationId}`,
    `API key: ${isNew && !isJournaled ? apiKey : `kept in ${firstApiKeyPath(dataDir)}`}`,
    operator,
    `In another terminal: . ${environment} && curl -H @${headers} $SIGNET_URL/persons`,
  ]
}

/** As somebody in the folder of this process names them in a shell. */
function clientFilesIn(dataDir: string) {
  const near = relative('', dataDir)
  const folder = near.startsWith('..') ? dataDir : `./${near}`
  return {
    environment: inShell(join(folder, clientFileNames.environment)),
    headers: inShell(join(folder, clientFileNames.headers)),
  }
}
