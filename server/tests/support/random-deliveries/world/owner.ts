import { deliveryLogOperations } from '../../../../src/delivery/log/index.ts'
import type { FromPublication } from '../../../../src/delivery/queue/attempt.ts'
import {
  chooseToTry,
  laneOfWebhook,
  pauseLane,
  reopenDeliveries,
  resumeLane,
} from '../../../../src/delivery/queue/index.ts'
import { webhooksOperations } from '../../../../src/delivery/webhooks/index.ts'
import type { Database } from '../../../../src/ground/database/database.ts'
import { ApiError } from '../../../../src/ground/errors.ts'
import type { createKeys, Keyring } from '../../../../src/ground/keys/index.ts'
import type { Clock } from '../../../../src/ground/runtime/clock.ts'
import type { makeRecord } from '../../recorder.ts'
import { rules } from '../rules.ts'

type OfOwner = {
  database: Database
  clock: Clock
  keyring: Keyring
  keys: ReturnType<typeof createKeys>
  handedOver: Map<string, FromPublication>
  woken: string[]
}

/** The operations of the interface that an owner of webhooks may call, by method and path. */
export function ownersOperations({ database, handedOver, woken, ...shared }: OfOwner) {
  const dependencies = {
    ...shared,
    // Beside a sequence nobody reads or writes, so its lists are read on the one connection of the reads.
    database: { ...database, pages: database.read },
    retentionMs: rules.retentionMs,
    wake: (_: string, webhookIds: string[]) => {
      woken.push(...webhookIds)
    },
    // What is revoked is read anew.
    revoke: async (webhookId: string) => {
      for (const { targets } of handedOver.values()) targets.delete(webhookId)
    },
    lane: laneOfWebhook,
    pauseLane,
    resumeLane,
    reopenDeliveries,
    chooseToTry,
    trySoon: () => {},
  }
  const operations = [
    ...webhooksOperations({ ...dependencies, keySetRate: { perMinute: 1, burst: 1 } }),
    ...deliveryLogOperations({ ...dependencies, baseUrl: 'https://id.example.com' }),
  ]
  return new Map(
    operations.map(({ method, path, handle }) => [`${method} ${path}`, handle as (call: object) => Promise<unknown>]),
  )
}

type Asking = { operations: ReturnType<typeof ownersOperations>; record: ReturnType<typeof makeRecord> }
export type Asked = { params?: object; query?: object; body?: object }

/** What an owner is answered: the result, or the status of the refusal. */
export async function ask(
  { operations, record }: Asking,
  organizationId: string,
  name: string,
  { params = {}, query = {}, body = {} }: Asked = {},
) {
  const call = { organizationId, isAdmin: true, record, params, query, body, limits: {} }
  try {
    return await operations.get(name)?.(call)
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
}
