import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { Visit } from './visit.ts'

/** Which request of an application a sign-in serves, and what its events tell of the browser. */
export type Flow = Visit & { organizationId: string; id: string; interactionUid: string }

/** The provider that was chosen, with secrets made for that. */
export type Chosen = { credentialId: string; stateHash: Buffer; secretHash: Buffer; expected: Buffer }

export type ChosenFlow = Flow & Chosen

/** Timestamps, as all times of the stores are. */
type Times = { now: string; expiresAt: string }

/**
 * Keeps a flow for an interaction; where there is one, it takes what was chosen, if something was. `begins`: the
 * browser has come back to us. Gives the flow, or undefined when it has been used, has ended or expired.
 */
export async function keepFlow(
  queries: Queries,
  organizationId: string,
  flow: Omit<Flow, 'organizationId'>,
  { chosen, begins, now, expiresAt }: { chosen?: Chosen | undefined; begins: boolean } & Times,
): Promise<Flow | undefined> {
  const [kept] = await queries.rows(sql<Flow>`
    insert into flows as f (org_id, id, interaction_uid, correlation_id, client_address, user_agent, window_location,
                            credential_id, state_hash, secret_hash, expected, begun_at, expires_at)
    values (${organizationId}, ${flow.id}, ${flow.interactionUid}, ${flow.correlationId}, ${flow.clientAddress},
            ${flow.userAgent}, ${flow.windowLocation}, ${chosen?.credentialId}, ${chosen?.stateHash},
            ${chosen?.secretHash}, ${chosen?.expected}, ${begins ? now : null}, ${expiresAt})
    on conflict (org_id, interaction_uid) do update
       set credential_id = coalesce(excluded.credential_id, f.credential_id),
           state_hash = coalesce(excluded.state_hash, f.state_hash),
           secret_hash = coalesce(excluded.secret_hash, f.secret_hash),
           expected = coalesce(excluded.expected, f.expected),
           begun_at = coalesce(f.begun_at, excluded.begun_at)
     where f.used_at is null and f.ended_at is null and f.expires_at > ${now}
    returning org_id as "organizationId", id, interaction_uid as "interactionUid", correlation_id as "correlationId",
              client_address as "clientAddress", user_agent as "userAgent", window_location as "windowLocation"`)
  return kept
}

/**
 * Uses up the flow of this state, and begins it where nothing had: of two callbacks only one is given it. From here on it
 * must end by `expiresAt`. Those of a deleted organization are given to nobody.
 */
export async function useFlow(
  queries: Queries,
  organizationId: string,
  stateHash: Buffer,
  { now, expiresAt }: Times,
): Promise<ChosenFlow | undefined> {
  const [flow] = await queries.rows(sql<ChosenFlow>`
    update flows f set used_at = ${now}, begun_at = coalesce(begun_at, ${now}), expires_at = ${expiresAt}
     where org_id = ${organizationId} and state_hash = ${stateHash} and used_at is null and ended_at is null and expires_at > ${now}
       and exists (select from organizations o where o.id = f.org_id and o.deleted_at is null)
    returning org_id as "organizationId", id, interaction_uid as "interactionUid", correlation_id as "correlationId",
              client_address as "clientAddress", user_agent as "userAgent", window_location as "windowLocation",
              credential_id as "credentialId", state_hash as "stateHash", secret_hash as "secretHash", expected`)
  return flow
}

/** The hash of the state that the flow of this cookie waits for, at this credential's callback. */
export async function findAwaitedState(
  queries: Queries,
  organizationId: string,
  { flowId, credentialId, secretHash }: { flowId: string; credentialId: string; secretHash: Buffer },
): Promise<Buffer | undefined> {
  const [row] = await queries.rows(sql<{ state_hash: Buffer }>`
    select state_hash from flows
     where org_id = ${organizationId} and id = ${flowId} and credential_id = ${credentialId}
       and secret_hash = ${secretHash} and used_at is null and ended_at is null`)
  return row?.state_hash
}

/** `isBeingFinished`: a callback has used it up, and has not ended it. */
export type FoundFlow = Pick<ChosenFlow, 'organizationId' | 'id' | 'interactionUid' | 'secretHash'> & {
  isBeingFinished: boolean
}

/** Used or not, open or not. */
export async function findFlowOfState(
  queries: Queries,
  organizationId: string,
  stateHash: Buffer,
  now: string,
): Promise<FoundFlow | undefined> {
  const [flow] = await queries.rows(sql<FoundFlow>`
    select org_id as "organizationId", id, interaction_uid as "interactionUid", secret_hash as "secretHash",
           used_at is not null and ended_at is null and expires_at > ${now} as "isBeingFinished"
      from flows where org_id = ${organizationId} and state_hash = ${stateHash}`)
  return flow
}

/** Gives whether it was open: whoever is given `true` publishes its one final event in the same transaction. */
export async function endFlow(tx: Transaction, organizationId: string, flowId: string, now: string): Promise<boolean> {
  const rows = await tx.rows(sql`
    update flows set ended_at = ${now}, begun_at = coalesce(begun_at, ${now})
     where org_id = ${organizationId} and id = ${flowId} and ended_at is null returning id`)
  return rows.length > 0
}

/** `isStalled`: it was begun, and has no final event. */
export type ExpiredFlow = Flow & { isStalled: boolean; expiresAt: string }

type Place = Pick<ExpiredFlow, 'expiresAt' | 'id'>
const beforeAll: Place = { expiresAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

/** In the order in which they expired; those that come after one of them, or all. */
export const listExpiredFlows = (
  queries: Queries,
  { now, after = beforeAll }: { now: string; after: Place | undefined },
  most: number,
): Promise<ExpiredFlow[]> =>
  queries.rows(sql<ExpiredFlow>`
    select org_id as "organizationId", id, interaction_uid as "interactionUid", correlation_id as "correlationId",
           client_address as "clientAddress", user_agent as "userAgent", window_location as "windowLocation",
           begun_at is not null and ended_at is null as "isStalled", expires_at::text as "expiresAt"
      from flows where expires_at <= ${now} and (expires_at, id) > (${after.expiresAt}, ${after.id})
     order by expires_at, id limit ${most}`)

/** Those that have begun only once they have ended. Gives how many were removed that nobody had begun. */
export async function removeFlows(
  queries: Queries,
  organizationIds: string[],
  flowIds: string[],
  now: string,
): Promise<number> {
  const rows = await queries.rows(sql<{ begun_at: Date | null }>`
    delete from flows f using unnest(${organizationIds}::uuid[], ${flowIds}::uuid[]) as e (org_id, id)
     where f.org_id = e.org_id and f.id = e.id and f.expires_at <= ${now} and (f.begun_at is null or f.ended_at is not null)
    returning f.begun_at`)
  return rows.filter(({ begun_at }) => begun_at === null).length
}
