import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { administer, inDatabase, makeName } from '../support/database.ts'
import type { Life } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

/** More than the connections of any process here, so that each has all that it may open in use. */
const writersAtOnce = 40
const patience = { timeout: 60_000 }
const timeout = 180_000

const superuser = inject('superuser')
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver?.stop())

type Limited = { role: string; url: string; query(text: string): Promise<unknown> }

/** A database of a role that may open so many connections, and is no superuser. */
async function limitedTo(limit: number, { onTestFinished }: Life): Promise<Limited> {
  const server = inject('postgres')
  const name = makeName(inject('run'))
  const query = (text: string) => administer({ ...server, ...superuser }, text)
  await query(`create role ${name} login connection limit ${limit} in role pg_monitor`)
  await query(`create database ${name} owner ${name} template template0 encoding 'UTF8'`)
  onTestFinished(async () => {
    await query(`drop database ${name} with (force)`)
    await query(`drop role ${name}`)
  })
  const url = new URL(inDatabase(server, name).url)
  if (url.searchParams.has('user')) url.searchParams.set('user', name)
  else url.username = name
  return { role: name, url: url.href, query }
}

async function start({ url }: Limited, { onTestFinished }: Life, env: Record<string, string> = {}): Promise<Signet> {
  const signet = await startSignet({
    ...{ databaseUrl: url, receiver },
    env: { SIGNET_BASE_URL: 'http://signet.localhost', ...env },
  })
  onTestFinished(() => signet.kill())
  return signet
}

/** Writes and lists at the full rate of each process, until it is stopped; gives the number of persons that were acknowledged. */
function load(processes: Signet[], organization: Organization) {
  const statuses = new Map<number, number>()
  let isOver = false
  const write = async (signet: Signet) => {
    while (!isOver) {
      const { status } = await signet.as(organization, 'POST', '/persons', {})
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const list = async (signet: Signet) => {
    while (!isOver) await signet.as(organization, 'GET', '/persons?limit=1000')
  }
  const running = processes.flatMap((signet) => [
    ...Array.from({ length: writersAtOnce }, () => write(signet)),
    ...Array.from({ length: 6 }, () => list(signet)),
  ])
  return {
    statuses,
    stop: async () => {
      isOver = true
      await Promise.all(running)
      expect([...statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([])
      return statuses.get(201) ?? 0
    },
  }
}

/** At least once, each. */
const deliveredAt = (path: string) =>
  new Set(receiver.received(path).map(({ headers }) => headers['service-signature'] ?? headers.authorization)).size

async function makeOrganization(signet: Signet, path: string) {
  const organization = await signet.organization()
  await addWebhook(signet, organization, receiver.url(path), ['PersonCreated_v1'])
  return organization
}

describe.skipIf(!superuser)('Where the server gives fewer connections than a process can use', () => {
  test('A start is refused where it cannot have what it needs, with the number', { timeout }, async (context) => {
    const database = await limitedTo(5, context)
    const refusal = `database: this process needs 8 connections, and its share is 5: the connection limit of the role ${database.role} is 5`
    await expect(start(database, context)).rejects.toThrow(refusal)
  })

  test.each([8, 12, 25])('With %d, what is acknowledged is delivered while requests come at their full rate', {
    timeout,
  }, async (limit) => {
    const ended: (() => unknown)[] = []
    const life: Life = { onTestFinished: (clean) => void ended.unshift(clean) }
    try {
      const database = await limitedTo(limit, life)
      const signet = await start(database, life)
      expect(signet.output()).toContain(`Connections to the database: up to ${limit} of the 28 that it can use`)
      const organization = await makeOrganization(signet, `/with-${limit}`)
      const loading = load([signet], organization)
      await receiver.waitFor(`/with-${limit}`, 50, patience.timeout)
      const readiness = await signet.call('GET', '/readyz')
      expect(readiness.body).toMatchObject({ status: 'ready' })
      const acknowledged = await loading.stop()
      await receiver.waitFor(`/with-${limit}`, acknowledged, patience.timeout)
    } finally {
      for (const clean of ended) await clean()
    }
  })
})
