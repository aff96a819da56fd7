import type { Static, TObject, TSchema } from 'typebox'
import type { CallerLimit } from '../socket/rate-limit.ts'
import type { RecordChange } from './recorded-change.ts'
import type { Role } from './roles.ts'
import type { Scope } from './scopes.ts'
import type { TagName } from './tags.ts'

/**
 * Who may call an operation. `key`: the organization's API key; `organization`: anybody who names an organization;
 * `organization_in_path`: anybody, and the organization is the one in the path; `link`: anybody, and the operation itself finds
 * the organization by the token in the body; `operator`: the operator's key, no organization.
 */
export type Access = 'key' | 'organization' | 'organization_in_path' | 'link' | 'operator'

/** The origin of a request, for the analytics of the events it causes. */
export type Caller = {
  correlationId: string
  clientAddress: string
  userAgent: string
  by: 'api' | 'console' | 'directory'
}

/** Which pages of other origins may call an operation. The preflight of a browser names no organization. */
export type PageOrigins = {
  isAllowed(organizationId: string, origin: string): Promise<boolean>
  isAllowedSomewhere(origin: string): Promise<boolean>
}

/** What the caller's pricing tier allows; an absent limit is no limit. */
export type Limits = { max_groups?: number; max_persons?: number; max_webhooks?: number }

/** Who was accepted for a request of an organization: an API key, or a person by a session of the console. */
export type Principal = {
  type: 'key' | 'person'
  id: string
  /** Of a person: null, for entries of the audit log outlive them. */
  name: string | null
  scopes: readonly Scope[]
  /** Of an admin key, and of an owner, who have all scopes, later ones among them. */
  isAdmin: boolean
  /** Ids of operations that it may call beside its scopes. */
  operations?: readonly string[]
  /** Of a person. */
  roles?: readonly Role[]
  /** In the console: whether the key was shown, or the person authenticated, within the last hour. */
  isSignInRecent?: boolean
  /** A group of the organization that is guarded beside those that open its console: the operator's. */
  guardedGroup?: string | undefined
  /** Null: it does not expire. A person may do what they may for as long as they are in their groups. */
  expiresAt: Date | null
  limits: Limits
}

export type Page = { limit: number; offset: number }
export type Paged<Item> = { items: Item[]; totalCount: number }

/** `after`: a cursor; absent on the first page. */
type CursorPage = { limit: number; after?: string }
/** `next`: the cursor of the following page, while there is one. */
export type CursorPaged<Item> = { items: Item[]; next: string | undefined }
/** A response that its operation writes itself, content type included. */
export type OwnReply = { headers: Record<string, string>; body: string | Uint8Array }

/** What an event stream begins with. `signal` aborts when the client has left. */
export type Live = { lastEventId: string | undefined; signal: AbortSignal }

export type OperationInput<Params, Query, Body> = {
  /** The organization of `Service-OrgID`, authenticated as `access` says; empty on requests of the operator and of links. */
  organizationId: string
  /** Undefined for operations without a key. */
  principal: Principal | undefined
  /** Some fields are shown to admin keys and owners alone, and set by them alone. */
  isAdmin: boolean
  /** The session of the console that the request is made by. */
  consoleSessionId: string | undefined
  /** Throws a 401 where a session of the console needs a sign-in younger than an hour, for what depends on the body. */
  requireRecentSignIn: () => void
  params: Params
  query: Query
  body: Body
  caller: Caller
  /** The body, where it is no JSON. */
  bytes: Buffer
  /** Writes what the operation changes to the audit log. */
  record: RecordChange
  /** The bearer token, unverified; empty: `Authorization` is something else. Undefined: there is none. */
  bearer: string | undefined
  /** Of the reply, where the operation has more than JSON. */
  mediaType: string | undefined
  /** The reply is to be an event stream, and `handle` gives its `MessageSource`. */
  live: Live | undefined
  /** The limits of the organization's pricing tier; empty for operations without a key. */
  limits: Limits
}

/** A body without the parts that break its schema: arrays keep the indexes of their items. */
export type Rest<Body> = Body extends unknown[] ? WithGaps<Body> : { [Name in keyof Body]?: WithGaps<Body[Name]> }
type WithGaps<Value> = Value extends (infer Item)[] ? (Item | undefined)[] : Value

type Part<Schema> = Schema extends TSchema ? Static<Schema> : unknown

/**
 * `true`: by `limit` and `offset`; `'cursor'`: by `limit` and a cursor, for lists that change often; `'feed'`: the same for a list
 * that goes on growing at its end, so that a page always has a cursor.
 */
type Paging = boolean | 'cursor' | 'feed'
type PageOf<By> = By extends 'cursor' | 'feed' ? CursorPage : By extends true ? Page : unknown

type Definition<Params, Query, Body, By> = {
  /** Its name in the OpenAPI document, which never changes: a verb and its object, such as `createGroup`. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Fastify's form: `/groups/:group_name`. */
  path: string
  /** Absent: `key`. */
  access?: Access
  /** What the key must have, all of them; only operations with a key of the organization have it, and each of those has. */
  scope?: Scope | Scope[]
  /** Any key may call it: it shows each thing only to keys that have the scope of that thing. Only for what changes nothing. */
  scopeOfEachThing?: true
  /** Only admin keys and owners may call it, whatever scopes another one has. */
  adminOnly?: true
  /** What it does is grave: a session of the console needs a sign-in younger than an hour. A key in a header is never asked. */
  recentSignIn?: true
  tag: TagName
  summary: string
  description?: string
  params?: Params
  query?: Query
  body?: Body
  /** The body is no JSON: bytes, which `handle` reads itself. One of the media types must be named; `application/octet-stream` is any of them. */
  bytes?: { mediaTypes: string[]; maxBytes: number }
  /**
   * The rules of the body besides its schema. Each throws the 400 that `handle` would throw. They run only after a failure, on
   * the part that fits the schema, so that one reply lists everything that is wrong.
   */
  rules?: ((input: OperationInput<Part<Params>, unknown, Rest<Part<Body>>>) => unknown)[]
  /** Absent: 200. */
  status?: 200 | 201 | 202 | 204
  /** Shape of `result`; absent: the reply is `{}`. */
  result?: TSchema
  /** The reply is a page: `result` is the shape of one item, `limit` with `offset` or `after` is added to the query. */
  paged?: By
  /** The reply is `result` itself, without the envelope; clients may cache it for this time. */
  bare?: { maxAgeSeconds: number }
  /** Its media types besides JSON, by what each contains. `handle` then returns an `OwnReply`, which JSON is too. */
  otherMediaTypes?: Record<string, string>
  /** The reply is an event stream: `optional`, for clients that prefer `text/event-stream` by `Accept`. */
  eventStream?: 'optional' | 'always'
  /** The limits that its streams count against; absent: those of `streams`. */
  streamKind?: 'listeners'
  /** The rate limit of an operation without a key. */
  callerLimit?: CallerLimit
  /** Absent: only pages of Signet's own origin may call it. */
  pageOrigins?: PageOrigins
  /** It may be called with an ID token as the bearer token. */
  takesIdToken?: boolean
  /** A POST that changes nothing: it may be repeated as it is, and ignores `Idempotency-Key`. */
  storesNothing?: true
  /**
   * Of a POST whose answer has a secret or handles: the member of its result with the id of the person or thing that they are of. What
   * is kept of the answer for repetitions is encrypted, and goes with that.
   */
  confidentialOf?: string
  /** Statuses of refusals besides those of every operation with this access. */
  refusals?: number[]
}

type Defaults = { access: Access; status: number }
export type Operation = Omit<Definition<TObject, TObject, TSchema, Paging>, 'rules' | keyof Defaults> &
  Defaults & {
    rules?: ((input: OperationInput<never, never, never>) => unknown)[]
    handle: (input: OperationInput<never, never, never>) => Promise<unknown>
  }

/**
 * Declares an operation. `handle` returns the `result` (or `Paged`, `CursorPaged` where `paged`), and throws an `ApiError`
 * to refuse. The order of the checks before it is one list for all operations, in `app.ts`.
 */
export function operation<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  By extends Paging = false,
>(
  definition: Definition<Params, Query, Body, By> & {
    handle: (input: OperationInput<Part<Params>, Part<Query> & PageOf<By>, Part<Body>>) => Promise<unknown>
  },
): Operation {
  return { access: 'key', status: 200, ...definition } as unknown as Operation
}

export const writes = (definition: { method: string }) => definition.method !== 'GET'
