#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from './config.ts'
import { reencryptSecrets } from './start/reencrypt-secrets.ts'
import { initialize } from './start/start.ts'

const usage = `Usage: signet init [--name <organization>]
       signet keys reencrypt

  init             Makes the first organization and its API key on the database of DATABASE_URL,
                   migrating it first. The key is shown only once.
  keys reencrypt   Encrypts all secrets in the database again, under the first key of SIGNET_MASTER_KEY,
                   while the service runs. It can be stopped and run again.`

async function init(args: string[]) {
  const { values } = parseArgs({ args, options: { name: { type: 'string', default: 'First organization' } } })
  if (!/^.{1,200}$/su.test(values.name)) throw new Error('--name: must be 1 to 200 characters')
  const config = readConfig()
  if (!config.databaseUrl)
    throw new Error('DATABASE_URL: is required; without it, npm start makes the first organization')
  const { id, apiKey } = await initialize(config, config.databaseUrl, values.name, console.error)
  console.log(`Base URL: ${config.baseUrl}\nOrganization ID: ${id}\nAPI key: ${apiKey}`)
}

async function reencrypt(args: string[]) {
  parseArgs({ args })
  await reencryptSecrets(readConfig(), console.log)
}

const commands = { init, 'keys reencrypt': reencrypt }
const args = process.argv.slice(2)
try {
  if (args.length === 1 && (args[0] === '--help' || args[0] === '-h')) {
    console.log(usage)
    process.exit()
  }
  const found = Object.entries(commands).find(([name]) => `${args.join(' ')} `.startsWith(`${name} `))
  if (!found) throw new Error(usage)
  const [name, command] = found
  await command(args.slice(name.split(' ').length))
} catch (error) {
  console.error(error instanceof ConfigError ? error.problems.join('\n') : (error as Error).message)
  process.exit(1)
}
