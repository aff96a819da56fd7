import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, valueIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import type { ClientContext } from './authentication-events.ts'

/** The row of a sign-in: the interaction that it serves, and the browser as its events describe it. */
export type Flow = ClientContext & {
  organizationId: string
  id: string
  interactionUid: string
  /** The application of the request, or what stands for the console. Null: stored by an earlier version. */
  clientId: string | null
}

/** The provider to which the browser is sent, with the secrets made for that. */
export type Choice = { credentialId: string; stateHash: Buffer; secretHash: Buffer; expected: Buffer }

export type ChosenFlow = Flow & Choice

/** No application asked for a test sign-in: it has no interaction, without which nobody is signed in. */
export type TestFlow = Omit<ChosenFlow, 'interactionUid'> & { interactionUid: null }

/** RFC 3339, as all times of the stores. */
type Times = { now: string; expiresAt: string }

/**
 * What a flow becomes. `state`: 'begun' once the person has acted, from when on the flow gets exactly one final event; a flow
 * that has begun stays so. `choice` replaces an earlier one; without it an earlier one stays.
 */
export type FlowChange = { state: 'stored' | 'begun'; choice?: Choice }

/** `uiLocales`: the languages that the application asked for. */
export type NewFlow = Omit<Flow, 'organizationId'> & { uiLocales: string | undefined }

const columns = fragment`
  org_id as "organizationId", id, interaction_uid as "interactionUid", client_id as "clientId", correlation_id as "correlationId",
  client_address as "clientAddress", user_agent as "userAgent", window_location as "windowLocation"`

/**
 * Stores the flow of an interaction, or changes the one that it has, whose end stays the same. Gives that flow; undefined: it
 * has been consumed, has ended, or has expired.
 */
export const upsertFlow = (
  queries: Queries,
  organizationId: string,
  flow: NewFlow,
  { state, choice, now, expiresAt }: FlowChange & Times,
) =>
  firstRow(queries)(sql<Flow>`
    insert into flows as f (org_id, id, interaction_uid, client_id, correlation_id, client_address, user_agent, window_location,
                            ui_locales, credential_id, state_hash, secret_hash, expected, begun_at, expires_at)
    values (${organizationId}, ${flow.id}, ${flow.interactionUid}, ${flow.clientId}, ${flow.correlationId}, ${flow.clientAddress},
            ${flow.userAgent}, ${flow.windowLocation}, ${flow.uiLocales}, ${choice?.credentialId}, ${choice?.stateHash},
            ${choice?.secretHash}, ${choice?.expected}, ${state === 'begun' ? now : null}, ${expiresAt})
    on conflict (org_id, interaction_uid) do update
       set credential_id = coalesce(excluded.credential_id, f.credential_id),
           state_hash = coalesce(excluded.state_hash, f.state_hash),
           secret_hash = coalesce(excluded.secret_hash, f.secret_hash),
           expected = coalesce(excluded.expected, f.expected),
           begun_at = coalesce(f.begun_at, excluded.begun_at)
     where f.consumed_at is null and f.ended_at is null and f.expires_at > ${now}
    returning ${columns}`)

/** The hashes of the secrets that the browser has; 'any': it need not have the flow's. */
type Secrets = Buffer[] | 'any'

/**
 * Marks the flow of this state as consumed, and as begun if it was not. Of two callbacks only one gets it, and has to end it by
 * `expiresAt`. Undefined also if the organization was deleted, or the browser has another secret.
 */
export const markFlowConsumed = (
  queries: Queries,
  organizationId: string,
  stateHash: Buffer,
  { secrets, now, expiresAt }: { secrets: Secrets } & Times,
) =>
  firstRow(queries)(sql<ChosenFlow | TestFlow>`
    update flows f set consumed_at = ${now}, begun_at = coalesce(begun_at, ${now}), expires_at = ${expiresAt}
     where org_id = ${organizationId} and state_hash = ${stateHash} and consumed_at is null and ended_at is null and expires_at > ${now}
       and (${secrets === 'any'} or secret_hash = any(${secrets === 'any' ? [] : secrets}::bytea[]))
       and exists (select from organizations o where o.id = f.org_id and o.deleted_at is null)
    returning ${columns},
              credential_id as "credentialId", state_hash as "stateHash", secret_hash as "secretHash", expected`)

/** The hash of the state that the first of these flows which is open expects at this credential's callback. */
export const findAwaitedState = (
  queries: Queries,
  organizationId: string,
  { cookies, credentialId }: { cookies: { flowId: string; secretHash: Buffer }[]; credentialId: string },
) =>
  valueIn(queries)(sql<{ state_hash: Buffer }>`
    select f.state_hash
      from unnest(${cookies.map(({ flowId }) => flowId)}::uuid[], ${cookies.map(({ secretHash }) => secretHash)}::bytea[])
             with ordinality as c (flow_id, secret_hash, place)
      join flows f on f.org_id = ${organizationId} and f.id = c.flow_id and f.secret_hash = c.secret_hash
     where f.credential_id = ${credentialId} and f.consumed_at is null and f.ended_at is null
     order by c.place limit 1`)

/** `isOpen`: no callback has consumed it. `isFinishing`: one has, and has not ended it. */
export type FoundFlow = Pick<
  ChosenFlow | TestFlow,
  'organizationId' | 'id' | 'interactionUid' | 'secretHash' | 'clientId'
> & {
  isOpen: boolean
  isFinishing: boolean
}

/** Also a flow that is consumed, has ended or has expired. */
export const findFlowOfState = (queries: Queries, organizationId: string, stateHash: Buffer, now: string) =>
  firstRow(queries)(sql<FoundFlow>`
    select org_id as "organizationId", id, interaction_uid as "interactionUid", secret_hash as "secretHash", client_id as "clientId",
           consumed_at is null and ended_at is null and expires_at > ${now} as "isOpen",
           consumed_at is not null and ended_at is null and expires_at > ${now} as "isFinishing"
      from flows where org_id = ${organizationId} and state_hash = ${stateHash}`)

/** Of a flow that is stored, whatever its state; a test has no application. */
export const findFlowRequest = (
  queries: Queries,
  organizationId: string,
  by: { uid: string } | { stateHash: Buffer },
) =>
  firstRow(queries)(sql<{ clientId: string | null; uiLocales: string | null }>`
    select client_id as "clientId", ui_locales as "uiLocales" from flows
     where org_id = ${organizationId}
       and ${'uid' in by ? fragment`interaction_uid = ${by.uid}` : fragment`state_hash = ${by.stateHash}`}`)

/** From now on it gets its one final event, though its callback is not processed. */
export const markFlowBegun = (queries: Queries, organizationId: string, flowId: string, now: string) =>
  queries.rows(sql`
    update flows set begun_at = ${now}
     where org_id = ${organizationId} and id = ${flowId} and begun_at is null and ended_at is null`)

/** Another interaction takes the place of the one that an open flow serves: its person has to sign in for it after all. */
export const moveFlow = (
  queries: Queries,
  organizationId: string,
  { from, to, expiresAt }: { from: string; to: string; expiresAt: string },
) =>
  queries.rows(sql`
    update flows set interaction_uid = ${to}, expires_at = ${expiresAt}
     where org_id = ${organizationId} and interaction_uid = ${from} and consumed_at is null and ended_at is null`)

/** As `endFlow`, for the flow of an interaction; true also where there is none. */
export async function endFlowOf(tx: Transaction, organizationId: string, interactionUid: string, now: string) {
  const flowId = await valueIn(tx)(sql<{ id: string }>`
    select id from flows where org_id = ${organizationId} and interaction_uid = ${interactionUid} for update`)
  return flowId === undefined || endFlow(tx, organizationId, flowId, now)
}

/** Gives whether the flow had not ended: then its one final event is published in the same transaction. */
export const endFlow = (tx: Transaction, organizationId: string, flowId: string, now: string) =>
  hasRow(tx)(sql`
    update flows set ended_at = ${now}, begun_at = coalesce(begun_at, ${now})
     where org_id = ${organizationId} and id = ${flowId} and ended_at is null returning id`)

/**
 * As `endFlow`, with a sign-in. `isServed`: its credential is there and active: while the provider answered, or unknown to this process,
 * it may have been taken away.
 */
export const endFlowWithSignIn = (tx: Transaction, organizationId: string, flowId: string, now: string) =>
  firstRow(tx)(sql<{ isServed: boolean }>`
    update flows f set ended_at = ${now}, begun_at = coalesce(begun_at, ${now})
     where org_id = ${organizationId} and id = ${flowId} and ended_at is null
    returning exists (select from oidc_credentials c where c.org_id = f.org_id and c.id = f.credential_id and c.active) as "isServed"`)

/** `isStalled`: it has begun, and has no final event. `credentialId` null: no provider was chosen. */
export type ExpiredFlow = Flow & { credentialId: string | null; isStalled: boolean; expiresAt: string }

type Position = Pick<ExpiredFlow, 'expiresAt' | 'id'>
const first: Position = { expiresAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

/**
 * In the order in which they expired, from the one after `after`. Those of tests are not sign-ins, and are removed with their tests.
 * Those of an organization that is deleted, or is moving, are left: nothing of it may be published.
 */
export const listExpiredFlows = (
  queries: Queries,
  { now, after = first }: { now: string; after: Position | undefined },
  limit: number,
): Promise<ExpiredFlow[]> =>
  queries.rows(sql<ExpiredFlow>`
    select ${columns},
           credential_id as "credentialId", begun_at is not null and ended_at is null as "isStalled", expires_at::text as "expiresAt"
      from flows f where interaction_uid is not null and expires_at <= ${now} and (expires_at, id) > (${after.expiresAt}, ${after.id})
       and exists (select from organizations o where o.id = f.org_id and o.deleted_at is null)
     order by expires_at, id limit ${limit}`)

/** Removes those that have not begun and those that have ended. Gives how many had not begun. */
export async function removeFlows(queries: Queries, organizationIds: string[], flowIds: string[], now: string) {
  const rows = await queries.rows(sql<{ begun_at: Date | null }>`
    delete from flows f using unnest(${organizationIds}::uuid[], ${flowIds}::uuid[]) as e (org_id, id)
     where f.org_id = e.org_id and f.id = e.id and f.expires_at <= ${now} and (f.begun_at is null or f.ended_at is not null)
    returning f.begun_at`)
  return rows.filter(({ begun_at }) => begun_at === null).length
}
