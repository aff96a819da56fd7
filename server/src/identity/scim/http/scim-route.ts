import type { Caller, Limits } from '../../../ground/http/chain/operation.ts'
import type { RecordChange } from '../../../ground/http/chain/recorded-change.ts'
import type { Directory } from '../../directories/index.ts'

/** A request of a directory whose token was accepted, and whose body was read. */
export type ScimCall = {
  organizationId: string
  directory: Directory
  /** What the addresses of resources begin with: `https://signet.example/scim/<organization id>/v2`. */
  scimUrl: string
  /** `id` in `/Users/:id`. */
  params: Record<string, string>
  /** The first value of each name; names that SCIM does not know are there too, and mean nothing. */
  query: Record<string, string>
  /** An object; `{}` where the method has no body. */
  body: Record<string, unknown>
  /** See `requireVersion`. */
  ifMatch: string | undefined
  /** `by` is `directory`. */
  caller: Caller
  /** Writes what the request changes to the audit log, with the directory as its actor. */
  record: RecordChange
  /** The same under another action than the route's. */
  recordAs(action: string): RecordChange
  limits: Limits
}

/** `version` becomes the ETag; a GET whose `If-None-Match` names it is answered 304. Without `body` the answer has none. */
export type ScimReply = { status: 200 | 201 | 204; body?: object; version?: number; location?: string }

export type ScimRoute = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the SCIM address, in Fastify's form: `/Users/:id`. A `GET` of a list is served as `POST …/.search` too. */
  path: string
  /** What an entry of the audit log calls it: `createScimUser`. A route that changes nothing has one too. */
  id: string
  /** The bound of its body. Absent: it has none. */
  maxBodyBytes?: number
  /** Throws a `ScimError` to refuse. */
  handle(call: ScimCall): Promise<ScimReply>
}
