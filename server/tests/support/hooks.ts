import { readFileSync } from 'node:fs'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { createHooks, type Hooks, type TokenMinted } from '../../src/delivery/hooks/index.ts'
import { laneOfWebhook, reasons } from '../../src/delivery/queue/index.ts'
import { createLoadTargets } from '../../src/delivery/webhooks/index.ts'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { createKeys } from '../../src/ground/keys/index.ts'
import {
  createEgressClient,
  type EgressClient,
  type OutboundRequest,
  type Outcome,
} from '../../src/ground/outbound/index.ts'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { untraced } from '../../src/ground/runtime/tracer.ts'
import { testDatabase } from './database.ts'
import { type Behaviour, type Receiver, startReceiver } from './receiver.ts'
import { makeKeyring, type Service, startService } from './service.ts'
import type { Organization } from './signet.ts'
import { addWebhook } from './webhooks.ts'

/** Hooks on a database of their own, run by the test itself, and the receivers they go to. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const clock = runningClock()
export const keyring = makeKeyring()
export const limits = { total: 100, perOrganization: 50 }
export const content: TokenMinted = {
  aud: 'application',
  sub: 'person',
  iss: 'http://localhost:8080/oidc/organization',
  region: 'local',
  first_token: true,
  authentications: [{ method: 'oidc', timestamp: '2026-11-21T12:00:00.000Z' }],
  groups_claim_name: 'groups',
  groups: ['staff', 'Grüße'],
  request_metadata: { client_ip_address: '192.0.2.7', user_agent: 'A browser' },
}

export let connection: Awaited<ReturnType<typeof testDatabase>>
export let inside: pg.Client
export let database: Database
export let receiver: Receiver
export let service: Service
export let egress: EgressClient
export let hooks: Hooks
export let organization: Organization
export let logged: object[] = []

/** Called by each file once: a module is loaded once for many files. */
export function setUpHooks() {
  beforeAll(async () => {
    connection = await testDatabase()
    inside = new pg.Client(connection)
    await inside.connect()
    receiver = await startReceiver()
    service = await startService({ connection, receiver, clock, keyring, env: { SIGNET_ROLES: 'api' } })
    database = openDatabase(connection)
    const resolve = new Map([
      [`${receiver.host}:${receiver.port}`, ['127.0.0.1']],
      [`${receiver.host}:1`, ['127.0.0.1']],
    ])
    const certificateAuthorities = [readFileSync(receiver.caFile, 'utf8')]
    egress = createEgressClient({ resolve, allowCidrs: [], maxConnections: 10, certificateAuthorities })
  })

  afterAll(async () => {
    await Promise.all([egress?.close(), service?.stop(), receiver?.stop(), inside?.end(), database?.close()])
    await connection?.drop()
  })

  beforeEach(async () => {
    logged = []
    hooks = makeHooks()
    organization = await service.organization()
  })
}

export function makeHooks(others: Partial<Parameters<typeof createHooks>[0]> = {}): Hooks {
  const { findSigners } = createKeys({ database, clock, keyring, keyLeadMs: 0, keyRotationMs: 1e9 })
  const loadTargets = createLoadTargets(keyring, laneOfWebhook)
  const shared = { database, clock, egress, baseUrl: service.baseUrl, loadTargets, findSigners, onUnreadable: () => {} }
  const log = { info: (fields: object) => logged.push(fields) }
  return createHooks({ ...shared, tracer: untraced, log, limits, ...others })
}

export const run = () => hooks.runTokenMinted({ organizationId: organization.id, content })

type Fields = { timeout?: string; custom_headers?: object; on_failure?: 'fail' | 'continue' }

/** A webhook of the organization with the trigger, whose receiver behaves so. */
export async function addHook(name: string, behaviour: Behaviour = {}, { on_failure, ...fields }: Fields = {}) {
  const path = `/${organization.id}/${name}`
  receiver.behave(path, behaviour)
  const id = await addWebhook(service, organization, receiver.url(path), [], fields)
  const resource = `/organizations/webhooks/${id}`
  await service.as(organization, 'POST', `${resource}/triggers`, { ...trigger, ...(on_failure && { on_failure }) })
  return { id, path, resource }
}

export const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
export const answering = (claims: object): Behaviour => ({ body: JSON.stringify(claims) })
export const failing: Behaviour = { status: 500, body: 'broken' }
export const claimsAt = (path: string) => receiver.received(path).map(({ body }) => decodeJwt(body))

type Row = {
  reason: string | null
  attempts: { number: number; jti: string; started_at: string; duration_ms: number; error?: string }[]
}

/** From the end of one attempt to the beginning of the next, in milliseconds. */
export const pausesOf = (row: Row | undefined): number[] =>
  (row?.attempts ?? []).slice(1).map(({ started_at }, index) => {
    const before = row?.attempts[index]
    return Date.parse(started_at) - Date.parse(before?.started_at ?? '') - (before?.duration_ms ?? 0)
  })

/** Rows of the delivery log, by webhook; whatever reason they give, the interface knows it. */
export async function logOf(...webhookIds: string[]): Promise<Row[]> {
  const text = `select *, attempt_log as attempts from finished_deliveries where org_id = $1 and webhook_id = any($2) order by webhook_id, event_id`
  const { rows } = await inside.query<Row>(text, [organization.id, webhookIds])
  for (const { reason } of rows) expect([null, ...reasons]).toContain(reason)
  return rows
}

/** Hooks of which each call is followed by that, before its outcome is known. */
export function hooksThat(afterCall: (outcome: Outcome) => Promise<unknown>): Hooks {
  const post = async (call: OutboundRequest) => {
    const outcome = await egress.post(call)
    await afterCall(outcome)
    return outcome
  }
  return makeHooks({ egress: { ...egress, post } })
}

export function useHooks(others: Hooks) {
  hooks = others
}

export function useOrganization(other: Organization) {
  organization = other
}
