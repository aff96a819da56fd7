import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster, Role } from './cluster.ts'
import type { Node } from './node.ts'

/** `ttl` in patroni.yml. */
const ttlMs = 20_000
const quickMs = 15_000
/** Nobody else may be primary before the lease of the lost one has ended. */
const lostMs = ttlMs + 10_000
/** Longer than any lease of etcd. */
const stoppedMs = ttlMs + 5_000

type Fault = {
  /** Whose node is struck; another node has this role before the fault is mended. */
  role?: Role
  /** For so long nothing is written at most. */
  withinMs: number
  /** Gives what mends it. */
  strike(node: Node, cluster: Cluster): Promise<Mend> | Mend
}
type Mend = () => unknown

const nothing: Mend = () => {}

const faults = {
  'switch-over': { role: 'leader', withinMs: quickMs, strike: switchOver },
  'PostgreSQL killed': { role: 'leader', withinMs: quickMs, strike: killPostgres },
  'Patroni killed': { role: 'leader', withinMs: lostMs, strike: killPatroni },
  'Patroni and PostgreSQL killed': { role: 'leader', withinMs: lostMs, strike: killBoth },
  'primary cut off': { role: 'leader', withinMs: lostMs, strike: cutOff },
  'synchronous standby cut off': { role: 'sync_standby', withinMs: lostMs, strike: cutOff },
  'primary frozen, then ended': { role: 'leader', withinMs: lostMs, strike: freeze },
  'etcd stopped for 25 s': { withinMs: lostMs, strike: stopEtcd },
} satisfies Record<string, Fault>

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as FaultName[]
export const faultOf = (name: FaultName): Fault => faults[name]

async function switchOver(node: Node) {
  const answer = await node.ask('/switchover', { leader: node.name })
  if (answer.status !== 200) throw new Error(`the switch-over was refused: ${await answer.text()}`)
  return nothing
}

function killPostgres(node: Node) {
  node.killPostgres()
  return nothing
}

async function killPatroni(node: Node) {
  await node.killPatroni()
  return node.startPatroni
}

async function killBoth(node: Node) {
  await node.killPatroni()
  node.killPostgres()
  return node.startPatroni
}

function cutOff({ machine }: Node) {
  machine.cut()
  return machine.join
}

function freeze({ machine, startEtcd, startPatroni }: Node) {
  machine.signal('SIGSTOP')
  return () => {
    machine.signal('SIGKILL')
    startEtcd()
    startPatroni()
  }
}

async function stopEtcd(_: Node, { nodes }: Cluster) {
  await Promise.all(nodes.map((node) => node.stopEtcd()))
  await wait(stoppedMs)
  for (const node of nodes) node.startEtcd()
  return nothing
}
