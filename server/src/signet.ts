#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from './config.ts'
import { initialize } from './start.ts'

const usage = `Usage: signet init [--name <organization>]

  init   Makes the first organization and its API key on the database of DATABASE_URL,
         migrating it first. The key is shown this once.`

async function init(args: string[]) {
  const { values } = parseArgs({ args, options: { name: { type: 'string', default: 'First organization' } } })
  if (!/^.{1,200}$/su.test(values.name)) throw new Error('--name: must be 1 to 200 characters')
  const config = readConfig()
  if (!config.databaseUrl)
    throw new Error('DATABASE_URL: is required; without it, npm start makes the first organization')
  const { id, apiKey } = await initialize(config, values.name)
  console.log(`Base URL: ${config.baseUrl}\nOrganization ID: ${id}\nAPI key: ${apiKey}`)
}

const [command, ...rest] = process.argv.slice(2)
try {
  if (command !== 'init') throw new Error(usage)
  await init(rest)
} catch (error) {
  console.error(error instanceof ConfigError ? error.problems.join('\n') : (error as Error).message)
  process.exit(1)
}
