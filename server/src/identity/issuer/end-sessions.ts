import type { EnqueueLogouts, Logout } from '../../delivery/logouts/index.ts'
import type { Transaction } from '../../ground/database/database.ts'
import { firstRow } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'

/**
 * What ends before its time. `signedOut`: the session with this uid, by its own browser; what has `offline_access` outlives it. All others
 * end refresh tokens and codes too: of a person, by one identity or of one session only, or those that are listed.
 */
type Ending =
  | { signedOut: string }
  | { personId: string; identityId?: string; sessionUid?: string }
  | { sessions: string[]; grants: string[] }

/** Which rows of each table end. `isAll`: no session of the person is left, so that `sub` alone says it all. */
type Ended = { sessions: Fragment; grants: Fragment; interactions: Fragment; isAll: boolean }

const none = fragment`false`

/**
 * Whatever ends a session before its time goes through here, and no other way: in the same transaction each application of the
 * session is sent a logout token, or neither is written. A session whose time is over ends unheard. Where all sessions of a person end,
 * the transaction must hold the person: a sign-in that is finishing at the same time waits for that lock, or is found here. Gives how many
 * sessions there were.
 */
export type EndSessions = (tx: Transaction, organizationId: string, ending: Ending, now: string) => Promise<number>

export const createEndSessions =
  (enqueueLogouts: EnqueueLogouts): EndSessions =>
  async (tx, organizationId, ending, now) => {
    const { ended, logouts } = await removeEnded(tx, organizationId, endedBy(ending), now)
    if (logouts.length > 0) await enqueueLogouts(tx, organizationId, logouts)
    return ended
  }

async function removeEnded(tx: Transaction, organizationId: string, ended: Ended, now: string) {
  const { sessions, grants, interactions, isAll } = ended
  const row = await firstRow(tx)(sql<{ ended: number; logouts: Logout[] }>`
    with interactions as (
      delete from issuer_interactions i where i.org_id = ${organizationId} and ${interactions}
    ), sessions as (
      delete from issuer_sessions s where s.org_id = ${organizationId} and ${sessions}
      returning person_id, payload -> 'authorizations' as authorizations, expires_at
    ), grants as (
      delete from issuer_grants g where g.org_id = ${organizationId} and ${grants}
      returning person_id, payload ->> 'clientId' as client_id, expires_at
    ), of_sessions as (
      select s.person_id, a.key as client_id, a.value ->> 'sid' as sid
        from sessions s cross join lateral json_each(s.authorizations) as a
       where s.expires_at > ${now} and a.value ->> 'sid' is not null
    ), told as (
      select person_id, client_id, sid from of_sessions
       union
      select g.person_id, g.client_id, null from grants g
       where ${isAll} and g.expires_at > ${now}
         and not exists (select from of_sessions o where o.client_id = g.client_id)
    )
    select (select count(*)::int from sessions) as ended,
           (select coalesce(json_agg(json_strip_nulls(json_build_object('clientId', client_id, 'subject', person_id, 'sid', sid))), '[]')
              from told) as logouts`)
  return row ?? { ended: 0, logouts: [] }
}

function endedBy(ending: Ending): Ended {
  // The grants of a session go with it, but for those that outlive it.
  if ('signedOut' in ending)
    return { sessions: fragment`s.uid = ${ending.signedOut}`, grants: none, interactions: none, isAll: false }
  if ('sessions' in ending)
    return {
      sessions: fragment`s.uid = any(${ending.sessions}::text[])`,
      grants: fragment`g.id = any(${ending.grants}::text[])`,
      interactions: none,
      isAll: false,
    }
  const { personId, identityId, sessionUid } = ending
  if (sessionUid !== undefined) return ofSession(personId, sessionUid)
  return identityId === undefined ? ofPerson(personId) : ofIdentity(personId, identityId)
}

const ofPerson = (personId: string): Ended => ({
  sessions: fragment`s.person_id = ${personId}`,
  grants: fragment`g.person_id = ${personId}`,
  interactions: fragment`i.person_id = ${personId}`,
  isAll: true,
})

/** What an earlier release wrote names no identity, and may be of this one. */
const ofIdentity = (personId: string, identityId: string): Ended => ({
  sessions: fragment`s.person_id = ${personId} and (s.identity_id = ${identityId} or s.identity_id is null)`,
  grants: fragment`g.person_id = ${personId} and (g.identity_id = ${identityId} or g.identity_id is null)`,
  interactions: fragment`
    i.person_id = ${personId} and coalesce(i.result #>> '{signIn,identityId}', ${identityId}::text) = ${identityId}::text`,
  isAll: false,
})

/** A grant that outlives its session is known by its tokens to be of it. */
const ofSession = (personId: string, sessionUid: string): Ended => ({
  sessions: fragment`s.person_id = ${personId} and s.uid = ${sessionUid}`,
  grants: fragment`
    g.person_id = ${personId} and exists (
      select from issuer_tokens t
       where t.org_id = g.org_id and t.grant_id = g.id and t.payload ->> 'sessionUid' = ${sessionUid})`,
  interactions: none,
  isAll: false,
})
