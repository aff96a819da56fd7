#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from './config.ts'

const usage = `Usage: signet init [--name <organization>]
       signet keys reencrypt
       signet backup <folder> [--json]
       signet restore <folder> [--deliver] [--json]

  init             Makes the first organization and its API key on the database of DATABASE_URL,
                   migrating it first. The key is shown only once.
  keys reencrypt   Encrypts all secrets in the database again, under the first key of SIGNET_MASTER_KEY,
                   while the service runs. It can be stopped and run again.
  backup           Writes a backup of the embedded database into an empty folder, while the service runs or not.
  restore          Makes a new data folder (SIGNET_DATA_DIR) of a backup. Webhooks stay paused, unless --deliver is given.`

async function init(args: string[]) {
  const { values } = parseArgs({ args, options: { name: { type: 'string', default: 'First organization' } } })
  if (!/^.{1,200}$/su.test(values.name)) throw new Error('--name: must be 1 to 200 characters')
  const config = readConfig()
  if (!config.databaseUrl)
    throw new Error('DATABASE_URL: is required; without it, npm start makes the first organization')
  const { initialize } = await import('./start/start.ts')
  const { id, apiKey } = await initialize(config, config.databaseUrl, values.name, console.error)
  console.log(`Base URL: ${config.baseUrl}\nOrganization ID: ${id}\nAPI key: ${apiKey}`)
}

async function reencrypt(args: string[]) {
  parseArgs({ args })
  const { reencryptSecrets } = await import('./start/reencrypt-secrets.ts')
  await reencryptSecrets(readConfig(), console.log)
}

async function backup(args: string[]) {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { json: { type: 'boolean' } } })
  const { backupCommand } = await import('./start/backup-commands.ts')
  await backupCommand(readConfig(), { folder: only(positionals), ...common(values.json) })
}

async function restore(args: string[]) {
  const options = { json: { type: 'boolean' }, deliver: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const { json, deliver = false } = values
  const { restoreCommand } = await import('./start/backup-commands.ts')
  await restoreCommand(readConfig(), { folder: only(positionals), deliver, ...common(json) })
}

function only([folder, ...more]: string[]): string {
  if (!folder || more.length > 0) throw new Error('name the folder of the backup')
  return folder
}

/** npm forwards a signal that its whole group received as well: a second one within this time is the same. */
const sameSignalMs = 1_000

function common(json = false) {
  const stopping = new AbortController()
  const forceAfter = () => performance.now() + sameSignalMs
  let force = Number.POSITIVE_INFINITY
  const stop = () => {
    if (performance.now() > force) process.exit(130)
    force = Math.min(force, forceAfter())
    stopping.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  const write = (text: string) => void process.stdout.write(text)
  const note = (text: string) => void process.stderr.write(text)
  return { signal: stopping.signal, report: { isJson: json, isTerminal: process.stderr.isTTY, write, note } }
}

const commands = { init, 'keys reencrypt': reencrypt, backup, restore }
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
  process.exit((error as { exitCode?: number }).exitCode ?? 1)
}
