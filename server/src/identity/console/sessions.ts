import type { FastifyRequest } from 'fastify'
import type { Transaction } from '../../ground/database/database.ts'
import { forbidden, keyNotValid, sessionEnded, sessionReplaced } from '../../ground/errors.ts'
import type { Principal } from '../../ground/http/chain/operation.ts'
import { type Act, actorOf, type RecordChange, toAct } from '../../ground/http/chain/recorded-change.ts'
import { userAgentOf } from '../../ground/http/chain/user-agent.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import type { ConsolePerson } from '../issuer/index.ts'
import { type OperatorGroup, operatorsIn } from '../organizations/index.ts'
import { createFindSessions, type Dependencies, type Session } from './find-sessions.ts'
import { createOpenedPageCheck } from './own-page.ts'
import { makeSessionToken, noOrganization, readSessionCookie, sessionCookie } from './session-cookie.ts'
import {
  endOldestSessions,
  findRoles,
  holdKey,
  holdPerson,
  insertSession,
  isMember,
  type StoredHolder,
  takeSession,
} from './session-store.ts'

const longestMs = 24 * 3_600_000
/** A use is written once in this time. */
const usedEveryMs = 60_000
/** Of one key or person; one more ends the oldest. */
const maxSessions = 100

/** What a session was begun with: an API key, a person's sign-in, or the operator's key. */
export type Holder =
  | { organizationId: string; key: Principal }
  | { organizationId: string; person: ConsolePerson }
  | 'operator'

export type Sessions = ReturnType<typeof createSessions>

export function createSessions(dependencies: Dependencies) {
  const sessions = createFindSessions(dependencies)
  const { isSecure, isOfOwnPage, findFor, listSessions, noteUse } = sessions
  return {
    requireOpenedPage: createOpenedPageCheck(isOfOwnPage),
    listSessions,
    /** Of the cookie that a browser has for the organization. */
    hashIn: (header: string | undefined, organizationId: string): Buffer | undefined =>
      readSessionCookie(header, organizationId, isSecure)?.hash,
    /** For an operation: the page must have been opened with this very session, else it shows what is true no more. */
    findSession: async (request: FastifyRequest): Promise<Session | undefined> => {
      const session = await findFor(request)
      if (!session) return undefined
      if (request.headers['service-console'] !== session.id) throw sessionReplaced()
      // An event stream that goes on is no use: nobody need be there.
      return request.isStreamed ? session : noteUse(session, usedEveryMs)
    },
    /** For a page that is being opened, which knows no session yet. */
    openSession: async (request: FastifyRequest): Promise<Session> => {
      const session = await findFor(request)
      if (!session) throw sessionEnded()
      return noteUse(session, 0)
    },
    begin: createBegin(dependencies, sessions),
    /**
     * Ends what the browser has beyond its limit. Where a provider has sent it, it sent no cookie, so that the beginning of its session saw
     * none. Gives lines for `Set-Cookie`.
     */
    endSurplus: async ({ organizationId }: Session, request: FastifyRequest, record: RecordChange) => {
      const surplus = await sessions.findSurplus(request.headers.cookie, organizationId)
      if (surplus.length === 0) return []
      await dependencies.database.transaction(async (tx) => {
        for (const { session } of surplus) if (session) await remove(tx, session, record)
      })
      return dropped(surplus, isSecure)
    },
    /** Gives the cookie that removes the browser's. */
    end: async (session: Session, record: RecordChange): Promise<string> => {
      await dependencies.database.transaction((tx) => remove(tx, session, record))
      return sessionCookie(session.organizationId, '', { isSecure, maxAgeSeconds: 0 })
    },
  }
}

/**
 * Begins a session, with a cookie that nobody has seen before, in place of the one that the browser had for the same organization. Gives
 * lines for `Set-Cookie`. Throws a 401 where the key was revoked meanwhile, or the person signed out, and a 403 where no group of the
 * person may enter. `formerHash`: of the cookie that the browser had when it began to sign in, for it sends none where a provider has sent
 * it (`SameSite=Strict`).
 */
function createBegin(
  { database, clock, operatorGroup }: Dependencies,
  sessions: ReturnType<typeof createFindSessions>,
) {
  const { isSecure, operatorKeyHash, findUnlessMoving, findSurplus } = sessions

  const insert = async (tx: Transaction, organizationId: string, begun: Begun) => {
    const now = clock.now()
    await hold(tx, organizationId, begun.holder, { now, operatorGroup })
    await endOldestSessions(tx, organizationId, begun.holder, maxSessions)
    const times = {
      authenticatedAt: begun.authenticatedAt ?? new Date(now),
      createdAt: new Date(now),
      endsAt: new Date(now + longestMs),
    }
    const session = { id: makeId(now), ...times }
    const { token, clientAddress, userAgent } = begun
    const stored = { ...session, ...begun.holder, tokenHash: hashOf(token), clientAddress, userAgent }
    await insertSession(tx, organizationId, stored)
    return session
  }

  return async (
    holder: Holder,
    request: FastifyRequest,
    recordAs: (act: Act) => RecordChange,
    formerHash?: Buffer,
  ): Promise<string[]> => {
    const organizationId = holder === 'operator' ? noOrganization : holder.organizationId
    const header = request.headers.cookie
    const act = { ...toAct(request, 'createConsoleSession'), actor: actorOfHolder(holder) }
    const [begun, ended] = [recordAs(act), recordAs({ ...act, action: 'deleteConsoleSession' })]
    const token = makeSessionToken(organizationId)
    const former =
      readSessionCookie(header, organizationId, isSecure) ?? (formerHash && { organizationId, hash: formerHash })
    const replaced = former && (await findUnlessMoving(former))?.session
    const surplus = holder === 'operator' ? [] : await findSurplus(header, organizationId)
    const origin = { token, clientAddress: clientAddress(request), userAgent: userAgentOf(request) }
    await database.transaction(async (tx) => {
      const session = await insert(tx, organizationId, { ...toStored(holder, operatorKeyHash), ...origin })
      if (holder !== 'operator')
        await begun(tx, organizationId, { target: targetOf(session.id), after: shown(session) })
      for (const each of [replaced, ...surplus.map((one) => one.session)]) if (each) await remove(tx, each, ended)
    })
    const cookie = sessionCookie(organizationId, token, { isSecure, maxAgeSeconds: longestMs / 1000 })
    return [cookie, ...dropped(surplus, isSecure)]
  }
}

const dropped = (surplus: { cookie: { organizationId: string } }[], isSecure: boolean) =>
  surplus.map(({ cookie }) => sessionCookie(cookie.organizationId, '', { isSecure, maxAgeSeconds: 0 }))

/** `authenticatedAt`: undefined where the key was shown now. */
type Stored = { holder: StoredHolder; authenticatedAt?: Date }
type Begun = Stored & { token: string; clientAddress: string; userAgent: string }

function toStored(holder: Holder, operatorKeyHash: () => Buffer): Stored {
  const nobody = { keyId: null, personId: null, sessionUid: null, operatorKeyHash: null }
  if (holder === 'operator') return { holder: { ...nobody, operatorKeyHash: operatorKeyHash() } }
  if ('key' in holder) return { holder: { ...nobody, keyId: holder.key.id } }
  const { personId, sessionUid, authenticatedAt } = holder.person
  return { holder: { ...nobody, personId, sessionUid }, authenticatedAt }
}

function actorOfHolder(holder: Holder): Act['actor'] {
  if (holder === 'operator') return { type: 'operator', id: null, name: null }
  return 'key' in holder ? actorOf(holder.key, true) : { type: 'person', id: holder.person.personId, name: null }
}

/** Nobody revokes the key, deletes the person or ends the issuer's session before the end of the transaction. */
async function hold(
  tx: Transaction,
  organizationId: string,
  { keyId, personId, sessionUid }: StoredHolder,
  { now, operatorGroup }: { now: number; operatorGroup: OperatorGroup | undefined },
) {
  if (keyId !== null) await requireOpenByKey(tx, organizationId, keyId)
  if (personId === null || sessionUid === null) return
  if (!(await holdPerson(tx, organizationId, personId, sessionUid, toTimestamp(now)))) throw sessionEnded()
  if ((await findRoles(tx, organizationId, personId)).length > 0) return
  const operators = operatorsIn(operatorGroup, organizationId)
  if (operators === undefined || !(await isMember(tx, organizationId, personId, operators))) throw noRole()
}

async function requireOpenByKey(tx: Transaction, organizationId: string, keyId: string) {
  const key = await holdKey(tx, organizationId, keyId)
  if (!key) throw keyNotValid('api_key')
  if (!key.opensConsole) throw closedToKeys()
}

const closedToKeys = () =>
  forbidden(
    'console_closed_to_keys',
    'api_key: opens no console of this organization, whose administrators continue with their provider; ask an owner',
  )
const noRole = () =>
  forbidden(
    'no_console_role',
    'role: no group of this person may enter the console; an owner can add the person to one',
  )

async function remove(tx: Transaction, { id, organizationId, principal, endsAt }: Session, record: RecordChange) {
  const isEnded = !(await takeSession(tx, organizationId, id))
  if (!principal || isEnded) return
  const actor = actorOf(principal, true)
  await record(tx, organizationId, { target: targetOf(id), before: shown({ id, endsAt }), actor })
}

const targetOf = (id: string) => ({ type: 'console_session', id }) as const

const shown = ({ id, endsAt }: { id: string; endsAt: Date }) => ({ id, ends_at: endsAt })
