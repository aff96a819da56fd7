import { type Connection, connectionOf } from '../ground/database/connection.ts'
import type { Database } from '../ground/database/database.ts'
import { requireSameServer } from '../ground/database/renewal.ts'
import { createKeyring, type Keyring, type MasterKeys } from '../ground/keys/index.ts'
import { renewTiers } from '../identity/organizations/index.ts'
import { requireInstallation } from '../operator/installation/index.ts'
import type { Config, Reloadable, rereadSettings } from './config.ts'

type Dependencies = {
  options: { connection: Connection }
  /** Changed in place. */
  config: Config
  keyring: Keyring
  database: Database
  log: { level: string }
}

/** By setting, what its files have now, or what is wrong with them. */
export type Reread = ReturnType<typeof rereadSettings>

/** Takes what has changed, and gives one line that says it. Where a file has become wrong, the former value stays. */
export function createReload({ options, config, keyring, database, log }: Dependencies) {
  const takeMasterKeys = async (next: MasterKeys) => {
    await requireInstallation(database.read, createKeyring(next))
    keyring.renew(next)
    config.masterKeys = next
  }
  const take: { [Key in keyof Reloadable]: (value: NonNullable<Reloadable[Key]>) => void | Promise<void> } = {
    // Each new connection reads it by itself.
    databaseUrl: (value) => {
      requireSameServer(options.connection, connectionOf(value))
      Object.assign(config, { databaseUrl: value })
    },
    operatorKey: (value) => void Object.assign(config, { operatorKey: value }),
    masterKeys: takeMasterKeys,
    tiers: (value) => renewTiers(config.tiers, value),
    logLevel: (value) => {
      config.logLevel = value
      log.level = value
    },
  }

  const takeOne = async (key: keyof Reloadable, read: Reread[keyof Reloadable]): Promise<Partial<Taken>> => {
    if ('problem' in read) return { problem: read.problem }
    if (read.value === undefined || isSame(read.value, config[key])) return {}
    try {
      await take[key](read.value as never)
      return { changed: read.name }
    } catch (error) {
      return { problem: (error as Error).message }
    }
  }

  return async (reread: Reread): Promise<string> => {
    const taken: Partial<Taken>[] = []
    for (const [key, read] of Object.entries(reread)) taken.push(await takeOne(key as keyof Reloadable, read))
    return describe(taken)
  }
}

type Taken = { changed: string; problem: string }

/** Buffers have a form in JSON, too. */
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function describe(taken: Partial<Taken>[]): string {
  const changed = taken.flatMap((each) => each.changed ?? [])
  const problems = taken.flatMap(({ problem }) => (problem ? [`; ${problem}, so the former value stays`] : []))
  return `Reloaded: ${changed.join(', ') || 'nothing has changed'}${problems.join('')}`
}
