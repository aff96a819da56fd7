import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import pg from 'pg'
import { repository } from '../../../support/program.ts'
import { writeConfiguration } from '../../proxies/support/configuration.ts'
import { makeFolder } from '../../proxies/support/folder.ts'
import { type Machine, startMachine, stop } from './machine.ts'

export const nodeNames = ['one', 'two', 'three'] as const
export type NodeName = (typeof nodeNames)[number]

/** In all files of `examples/deployment`. */
const password = 'change-me'
const documentedAddress = '10.0.0.11'

/** A machine with PostgreSQL, the Patroni that manages it, and a member of etcd, by the files of `examples/deployment`. */
export type Node = {
  name: NodeName
  machine: Machine
  startEtcd(): void
  stopEtcd(): Promise<void>
  startPatroni(): void
  /** Of the postmaster; its children see at once that it is gone. */
  killPostgres(): void
  killPatroni(): Promise<void>
  /** Of Patroni's REST interface. */
  ask(path: string, body?: object): Promise<Response>
  /** By the superuser. */
  query<Row>(text: string, database?: string, values?: unknown[]): Promise<Row[]>
  log(): string
}

export function openNode(name: NodeName, root: string): Node {
  const folder = makeFolder(join(root, name))
  const machine = startMachine(name, 11 + nodeNames.indexOf(name), folder)
  const { address } = machine
  const configuration = writePatroni(folder, name, address)
  const etcdEnvironment = environmentOfEtcd(folder, name, address)
  let etcd: ChildProcess
  let patroni: ChildProcess
  return {
    name,
    machine,
    startEtcd: () => {
      etcd = machine.start('etcd', [], etcdEnvironment)
    },
    stopEtcd: () => stop(etcd),
    startPatroni: () => {
      patroni = machine.start('patroni', [configuration])
    },
    killPostgres: () => process.kill(postmasterIn(folder), 'SIGKILL'),
    killPatroni: () => stop(patroni, 'SIGKILL'),
    ask: (path, body) =>
      fetch(`http://${address}:8008${path}`, {
        signal: AbortSignal.timeout(body ? 60_000 : 1_000),
        headers: { authorization: `Basic ${btoa(`patroni:${password}`)}` },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
    query: (text, database = 'postgres', values = []) => queryAt({ host: address, database }, text, values),
    log: () => readFileSync(join(folder, 'patroni.log'), 'utf8'),
  }
}

const postmasterIn = (folder: string) => Number.parseInt(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8'), 10)

const writePatroni = (folder: string, name: string, address: string) =>
  writeConfiguration(folder, 'patroni.yml', {
    'name: one': `name: ${name}`,
    [`${documentedAddress}:8008`]: `${address}:8008`,
    [`${documentedAddress}:5432`]: `${address}:5432`,
    '/var/lib/postgresql/15/signet': join(folder, 'data'),
    '/var/lib/postgresql/.pgpass-patroni': join(folder, 'pgpass'),
    '/var/run/postgresql': folder,
  })

function environmentOfEtcd(folder: string, name: string, address: string) {
  const documented = parseEnv(readFileSync(join(repository, 'examples/deployment/etcd.env'), 'utf8'))
  const own = Object.entries(documented)
    .filter(([key]) => key.endsWith('_URLS'))
    .map(([key, urls]) => [key, urls?.replace(documentedAddress, address)])
  return { ...documented, ...Object.fromEntries(own), ETCD_NAME: name, ETCD_DATA_DIR: join(folder, 'etcd') }
}

async function queryAt<Row>(place: pg.ClientConfig, text: string, values: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ user: 'postgres', password, connectionTimeoutMillis: 2_000, ...place })
  client.on('error', () => {})
  await client.connect()
  return (await client.query(text, values).finally(() => client.end())).rows as Row[]
}
