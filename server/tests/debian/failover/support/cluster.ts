import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { repository } from '../../../support/program.ts'
import { openNetwork } from './machine.ts'
import { type Node, nodeNames, openNode } from './node.ts'

/** Three nodes, of which one has the primary and another one its synchronous standby. */
export type Cluster = {
  nodes: Node[]
  withRole(role: Role): Promise<Node>
  /** One has the primary, and both others stream from it, one of them synchronously. */
  untilHealthy(): Promise<void>
}

export type Role = 'leader' | 'sync_standby'
type Member = { name: string; role: string; state: string; timeline: number }

/** A copy of a node that could not be rewound takes its time on a busy machine. */
const patience = { timeout: 150_000, interval: 250 }

/** With the role and the database that docs/operating.md tells to make. */
export async function startCluster(folder: string): Promise<Cluster> {
  openNetwork()
  const nodes = nodeNames.map((name) => openNode(name, folder))
  for (const node of nodes) node.startEtcd()
  for (const node of nodes) node.startPatroni()
  const cluster: Cluster = {
    nodes,
    withRole: (role) => withRole(nodes, role),
    untilHealthy: () => vi.waitFor(() => expectHealthy(nodes), patience),
  }
  await cluster.untilHealthy()
  const leader = await cluster.withRole('leader')
  for (const statement of documentedStatements()) await leader.query(statement)
  return cluster
}

function documentedStatements(): string[] {
  const [, statements = ''] = /```sql\n(create role signet .*?)```/s.exec(operatingPage()) ?? []
  return statements.trim().split('\n')
}

const operatingPage = () => readFileSync(join(repository, 'docs/operating.md'), 'utf8')

async function membersOf(nodes: Node[]): Promise<Member[]> {
  const answer = await Promise.any(nodes.map((node) => node.ask('/cluster')))
  return ((await answer.json()) as { members: Member[] }).members
}

async function withRole(nodes: Node[], role: Role): Promise<Node> {
  const name = (await membersOf(nodes)).find((member) => member.role === role)?.name
  const node = nodes.find((one) => one.name === name)
  if (!node) throw new Error(`no member of the cluster is ${role}`)
  return node
}

async function expectHealthy(nodes: Node[]) {
  const members = await membersOf(nodes)
  const states = members.map(({ role, state }) => `${role} ${state}`).sort()
  const timelines = new Set(members.map(({ timeline }) => timeline))
  expect([states, timelines.size]).toEqual([['leader running', 'replica running', 'sync_standby running'], 1])
  const leader = await withRole(nodes, 'leader')
  const streaming = await leader.query<{ sync_state: string }>(
    `select sync_state from pg_stat_replication where state = 'streaming' order by 1`,
  )
  expect(streaming.map(({ sync_state }) => sync_state)).toEqual(['async', 'sync'])
}
