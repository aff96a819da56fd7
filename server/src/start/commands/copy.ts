import { type Connection, connectionOf } from '../../ground/database/connection.ts'
import { reachServer } from '../../ground/database/embedded/index.ts'
import { awaitServer } from '../../ground/database/server-check.ts'
import { type Copied, type Progress as CopyProgress, copyDatabase } from '../../operator/backup/copy/index.ts'
import { refuseIncomplete, requireCluster } from '../../operator/backup/index.ts'
import { makeDataDir } from '../../operator/installation/index.ts'
import type { Config } from '../config.ts'
import type { Output } from './command-output.ts'
import { describeWebhooks } from './describe-webhooks.ts'
import { type Progress, showProgress } from './progress.ts'

/** A data folder, or the address that SIGNET_COPY_TO gives. */
export type Target = { folder: string } | { address: string }

type Command = {
  config: Config
  target: Target
  deliver: boolean
  signal: AbortSignal
  output: Output
}

type Side = { connection: Connection; leave(): Promise<void> }

/** `signet copy [folder] [--deliver]`. */
export async function copyCommand({ config, target, deliver, signal, output }: Command) {
  const progress = showProgress(output)
  const copied = await between(await reachSource(config, output), () => reachTarget(config, target, output), {
    ...{ deliver, signal, onProgress: showOn(progress) },
  }).finally(progress.end)
  await output.show({ type: 'copied', ...copied }, describe(copied, deliver))
}

type Options = Omit<Parameters<typeof copyDatabase>[0], 'source' | 'target'>

async function between(source: Side, reach: () => Promise<Side>, options: Options): Promise<Copied> {
  try {
    const target = await reach()
    const ends = { source: source.connection, target: target.connection }
    return await copyDatabase({ ...ends, ...options }).finally(target.leave)
  } finally {
    await source.leave()
  }
}

async function reachSource({ databaseUrl, databaseWaitMs, dataDir }: Config, output: Output): Promise<Side> {
  if (databaseUrl) return reachAddress(databaseUrl, 'DATABASE_URL', databaseWaitMs, output)
  requireCluster(dataDir)
  return reachServer(dataDir)
}

async function reachTarget({ databaseWaitMs }: Config, target: Target, output: Output): Promise<Side> {
  if ('address' in target) return reachAddress(target.address, 'SIGNET_COPY_TO', databaseWaitMs, output)
  makeDataDir(target.folder)
  refuseIncomplete(target.folder)
  return reachServer(target.folder)
}

async function reachAddress(address: string, setting: string, waitMs: number, { note }: Output): Promise<Side> {
  const connection = connectionOf(address)
  await awaitServer(connection, waitMs, note, setting)
  return { connection, leave: async () => {} }
}

const showOn =
  (progress: Progress) =>
  ({ step, table, tables, of_tables, rows, of_rows }: CopyProgress) => {
    const verb = `${step.charAt(0).toUpperCase()}${step.slice(1)}`
    const soFar = of_rows === undefined ? `${rows} rows so far` : `${rows} of ${of_rows} rows`
    const text = `${verb} ${table}, table ${tables + 1} of ${of_tables}: ${soFar}`
    progress.show({ step, table, tables, of_tables, rows, ...(of_rows !== undefined && { of_rows }) }, text)
  }

function describe({ complete_until, base_url, tables, rows, ...counts }: Copied, deliver: boolean): string {
  return [
    `Copied: ${rows} rows of ${tables} tables, the same by count and hash on both sides`,
    `Complete until: ${complete_until}; what came later is not in the copy, so a service that is to move is stopped first`,
    `Base URL: ${base_url}`,
    ...describeWebhooks(counts, deliver),
    'Its secrets are encrypted as they were: Signet needs the same SIGNET_MASTER_KEY on it (embedded: the file master-key).',
  ].join('\n')
}
