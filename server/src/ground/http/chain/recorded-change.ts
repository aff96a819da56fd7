import type { FastifyRequest } from 'fastify'
import type { Queries } from '../../database/database.ts'
import type { Fragment } from '../../database/sql.ts'
import { clientAddress } from '../socket/client-address.ts'

/**
 * Who makes a change; `console`: a key, by a session; `person`: by a session too. An operator has no id and no name, and a key or link
 * need not have a name. That of a person is joined when it is read.
 */
type Actor = {
  type: 'key' | 'console' | 'person' | 'operator' | 'link' | 'directory'
  id: string | null
  name: string | null
}

/**
 * A request that may change something; null: the first start of the service. `action` is the id of its operation. `operatorPerson`: who
 * the operator is, where it is a person.
 */
export type Act = {
  actor: Actor
  action: string
  requestId: string | null
  clientAddress: string | null
  operatorPerson?: Actor
}

/** The kinds of things that are changed. */
export const targetTypes = [
  'api_key',
  'application',
  'console_invitation',
  'console_session',
  'credential_link',
  'delivery',
  'directory',
  'directory_link',
  'directory_token',
  'events',
  'group',
  'identity',
  'oidc_credential',
  'organization',
  'person',
  'person_session',
  'resource',
  'settings',
  'signing_keys',
  'verification_keys',
  'webhook',
] as const

/** What is changed: a kind of thing, and what the interface calls this one. */
export type Target = { type: (typeof targetTypes)[number]; id: string }

/**
 * `before` and `after`: the thing as its own operations show it, secrets and handles included, which `RecordChange` conceals.
 * Absent: there was none, or is none. `actor`: where it is not the caller.
 */
export type Change = { target: Target; before?: object | undefined; after?: object | undefined; actor?: Actor }

/**
 * Writes an entry of the audit log in the transaction of the change, before its events are published. Writes none where `before` and
 * `after` are the same. Every operation with access `key`, `operator` or `link` that changes something calls it once for that.
 */
export type RecordChange = {
  (queries: Queries, organizationId: string, change: Change): Promise<void>
  /** The same as a part of the statement of the change: one entry for each row of `changed`, which has one or none. */
  within(organizationId: string, change: Change, changed: Fragment): Fragment
}

export const toAct = (request: FastifyRequest, action: string): Act => ({
  actor: toActor(request),
  action,
  requestId: request.id,
  clientAddress: clientAddress(request),
  ...(request.operatorPerson && { operatorPerson: actorOf(request.operatorPerson, true) }),
})

const toActor = ({ principal, isOfConsole }: FastifyRequest): Act['actor'] =>
  principal ? actorOf(principal, isOfConsole) : { type: 'operator', id: null, name: null }

type Acting = { type: 'key' | 'person'; id: string; name: string | null }

/** `isOfConsole`: by a session. */
export const actorOf = ({ type, id, name }: Acting, isOfConsole: boolean): Act['actor'] => ({
  type: type === 'key' && isOfConsole ? 'console' : type,
  id,
  name,
})
