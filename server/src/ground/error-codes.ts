/**
 * The catalogue of errors: a code for each kind that a program may want to tell from the others, under which statuses it comes, what the
 * messages say (`…` and `<…>` stand for what differs), and the way out, in Markdown as seen from docs/reference. A code is a promise: it
 * keeps its name and its meaning. `npm run generate -- reference` writes docs/reference/errors.md from it.
 */
type Described = { statuses: readonly [number, ...number[]]; words: readonly [string, ...string[]]; wayOut: string }

/** What an answer may say is not there. */
const things = [
  ...['organization', 'API key', 'person', 'identity', 'session', 'group', 'membership', 'webhook', 'trigger'],
  ...['delivery', 'event', 'credential', 'credential link', 'test', 'directory', 'directory link', 'token', 'resource'],
  ...['application', 'client secret', 'issuer', 'logo', 'console session', 'console invitation'],
] as const
export type Thing = (typeof things)[number]

type Joined<Words extends string> = Words extends `${infer First} ${infer Rest}` ? `${First}_${Joined<Rest>}` : Words
type CodeOfThing<Of extends Thing = Thing> = Of extends Thing ? `${Lowercase<Joined<Of>>}_not_found` : never

export const notFoundCode = <Of extends Thing>(thing: Of) =>
  `${thing.toLowerCase().replaceAll(' ', '_')}_not_found` as CodeOfThing<Of>

const notFound = (thing: Thing) => ({
  statuses: [404] as const,
  words: [`${thing}: not found`] as const,
  wayOut: "It never was, was deleted, or is another organization's.",
})

const notFoundKinds = Object.fromEntries(things.map((thing) => [notFoundCode(thing), notFound(thing)])) as Record<
  CodeOfThing,
  ReturnType<typeof notFound>
>

export const errorCodes = {
  required: {
    statuses: [400],
    words: ['<field>: is required', 'body: is required', 'Service-OrgID: is required', 'Host: is required'],
    wayOut: 'Add it. A body needs `Content-Type: application/json`.',
  },
  unknown_field: {
    statuses: [400],
    words: ['<field>: is not a known field', '[0].<field>: is not a field of …'],
    wayOut: 'Leave it out, or take the name that the message gives; in a query it is a parameter.',
  },
  invalid_value: {
    statuses: [400],
    words: [
      '<field>: must …',
      'body: must be a JSON object',
      'Service-OrgID: must be a UUID',
      'Idempotency-Key: must be 1 to 255 visible ASCII characters',
      'target_url: must not be localhost',
    ],
    wayOut:
      'The message has the rule, and the reference at `/docs` those of every field. Webhooks come to your own machine by ' +
      '`signet listen`: [the command line](command-line.md#signet-listen).',
  },
  unknown_reference: {
    statuses: [400],
    words: [
      'groups[0]: … does not exist',
      'persons[0]: … does not exist',
      'group_name: … does not exist',
      'oauth_client_id: must be that of a credential of this organization',
    ],
    wayOut: 'The field names a thing that is not there: create it first, or name another one.',
  },
  given_twice: {
    statuses: [400],
    words: ['<name>: must be given once'],
    wayOut: 'An object of the body has it twice, or the request has the header twice.',
  },
  malformed_json: {
    statuses: [400],
    words: ['body: must be well-formed JSON: line 2, column 5: …', 'body: must be UTF-8'],
    wayOut:
      'Mend what the message points at. JSON has no comments, no single quotes, and no comma before a closing bracket.',
  },
  malformed_request: {
    statuses: [400],
    words: [
      'path: must be well-formed percent-encoded text',
      'request: must be well-formed HTTP',
      'Host: must be a host, perhaps with a port',
    ],
    wayOut: 'The client, or a proxy in front of Signet, sends what is not a valid HTTP request.',
  },

  key_required: {
    statuses: [401],
    words: ['Service-API-Key: is required', 'Service-Operator-Key: is required'],
    wayOut: 'Send this header.',
  },
  key_not_valid: {
    statuses: [401],
    words: ['Service-API-Key: is not valid for this organization'],
    wayOut:
      "The key is unknown, revoked, or another organization's: compare it with `Service-OrgID`, or [make a new one](../use/api-keys.md).",
  },
  key_expired: {
    statuses: [401],
    words: ['Service-API-Key: has expired'],
    wayOut: '[Make a new one](../use/api-keys.md).',
  },
  operator_key_not_valid: {
    statuses: [401],
    words: ['Service-Operator-Key: is not valid'],
    wayOut: 'It is `SIGNET_OPERATOR_KEY`, or the file `operator-key` in the data folder.',
  },
  session_ended: {
    statuses: [401],
    words: ['Cookie: the session of the console has ended'],
    wayOut: 'Sign in again.',
  },
  sign_in_not_recent: {
    statuses: [401],
    words: ['Cookie: this needs a sign-in younger than an hour; sign in again'],
    wayOut:
      'Paste the key again, or continue with the provider again: [what is grave](../build/console-security.md#what-is-grave).',
  },
  not_from_console: {
    statuses: [401],
    words: ['Service-Console: must be 1, in a request that a page of this service itself sends'],
    wayOut: "The console's cookie is for its own pages; scripts take an API key.",
  },
  id_token_not_valid: {
    statuses: [401],
    words: ['Authorization: must be absent, or Bearer with a valid ID token of this organization'],
    wayOut: 'Sign the person in again, or leave the header out.',
  },

  tier_limit_reached: {
    statuses: [402],
    words: ['groups: the pricing tier allows at most 10'],
    wayOut: 'Delete some, or have the operator change the tier.',
  },

  scope_missing: {
    statuses: [403],
    words: [
      'Service-API-Key: … lacks the scope …',
      'Service-API-Key: this key is read-only; …',
      'groups: the key lacks the scope …',
      'role: the role … lacks the scope …',
    ],
    wayOut:
      'Take a key that has the scope named, or an admin key; some fields need a scope of their own. In the console ask an owner: ' +
      '[roles](../use/administrators.md#what-a-role-may-do).',
  },
  admin_required: {
    statuses: [403],
    words: [
      'Service-API-Key: must be an admin key, …',
      'role: the role … may not do this; only an owner may',
      'handles[0].verified: must be absent, for only admin keys set it',
      'active: must stay as it is, unless the key is an admin key',
      'active: must be absent or false, unless the key is an admin key',
      'active: must be absent with a new tenant, organization_url or issuer, unless the key is an admin key',
      'trust_email_domains: must be absent, unless the key is an admin key',
      'trust_email_domains: must be absent or empty, unless the key is an admin key',
      'oauth_client_id: must stay as it is, unless the key is an admin key',
      'branding: may be changed by admin keys and owners only',
      'client_secret: is required with a new organization_url or issuer, unless the key is an admin key',
      'custom_headers: is required with a new target_url, unless the key is an admin key',
    ],
    wayOut:
      'Leave the field out or as it is, use an admin key, or ask an owner. A secret is asked for again where it would go to another host.',
  },
  beyond_own_key: {
    statuses: [403],
    words: [
      'scopes: must be within those of the key that asks, which lacks …',
      'expires_at: must be at most that of the key that asks, …',
    ],
    wayOut: 'No key makes one that can do more, or lives longer, than itself.',
  },
  guarded_group: {
    statuses: [403],
    words: [
      'group: … opens the console (console_access), so only admin keys and owners change it and its members',
      'person: is in …, which opens the console (console_access), so only admin keys and owners change the person',
    ],
    wayOut: 'The group is [guarded](../use/administrators.md#guarded-groups): use an admin key, or ask an owner.',
  },
  no_console_role: {
    statuses: [403],
    words: ['role: no group of this person may enter the console; an owner can add the person to one'],
    wayOut: 'Ask an owner to add the person to a group that [opens the console](../use/administrators.md#who-enters).',
  },
  console_closed_to_keys: {
    statuses: [403],
    words: [
      'api_key: opens no console of this organization, whose administrators continue with their provider; ask an owner',
    ],
    wayOut: 'Continue with the provider; the key is still good for the interface.',
  },
  foreign_origin: {
    statuses: [403],
    words: ['Origin: must be the origin of a redirect URI of an application'],
    wayOut: "Register the page's origin with an application.",
  },

  unknown_path: {
    statuses: [404],
    words: [
      'path: no such operation',
      'path: no such operation; use /groups, without the trailing slash',
      'path: no issuer is here; an issuer is …',
    ],
    wayOut:
      'Take the address of the message; the interface has no version in its paths. Where discovery was looked for at the base URL, or below ' +
      "an issuer with a slash at its end, give your client the issuer that the message shows, with your organization's ID.",
  },
  ...notFoundKinds,
  link_not_open: {
    statuses: [404],
    words: ['token: is that of no open link; a link is open until it is used or deleted, or expires'],
    wayOut: 'Ask for a new link.',
  },
  invitation_not_open: {
    statuses: [404],
    words: ['token: is that of no open invitation; an invitation is open until it is used or deleted, or expires'],
    wayOut: 'Ask for a new invitation.',
  },
  method_not_allowed: {
    statuses: [405],
    words: ['method: must be one of GET, POST'],
    wayOut: 'Take one of those, which `Allow` has too.',
  },
  not_acceptable: {
    statuses: [406],
    words: ['Accept: must allow application/json'],
    wayOut: 'Allow it, or send no `Accept`.',
  },
  cursor_expired: {
    statuses: [410],
    words: ['after: is older than the events that are kept; the oldest cursor is …'],
    wayOut: 'Go on from that cursor, and know that some events were missed: [the feed](../use/feed.md).',
  },
  cursor_of_other_history: {
    statuses: [410],
    words: ['after: comes from another database, or from a history that a restore has ended; …'],
    wayOut:
      'Begin again with the cursor of the message, or without one. Some of what was read does not exist any more: ' +
      '[what to do](../use/event-feed-to-warehouse.md#when-what-you-have-read-is-gone).',
  },

  consistency_not_reached: {
    statuses: [408],
    words: ['Service-Required-Consistency-Timeout: not reached in time; the request may still be handled'],
    wayOut:
      'Look whether it is there before you ask again, or [repeat it with its `Idempotency-Key`](../use/repeating-calls.md).',
  },
  request_too_slow: {
    statuses: [408],
    words: ['request: not received in time'],
    wayOut: 'Send it faster.',
  },
  console_session_replaced: {
    statuses: [409],
    words: ['Service-Console: must be the id of the session that this browser has now'],
    wayOut: 'Another tab has signed in: sign in on this page, or load it again.',
  },
  idempotency_key_in_use: {
    statuses: [409],
    words: ['Idempotency-Key: is that of a request that is still being handled; try again'],
    wayOut: 'Wait as long as `Retry-After` says, and repeat the call with the same key.',
  },
  already_exists: {
    statuses: [409],
    words: [
      'target_url: is the target of another webhook already',
      'client_id: has a credential already',
      'handles[0].value: is already in use',
      'identifier: is that of another resource',
      'oauth_client_id: is that of another directory',
      'subject: is an identity of somebody already, or the person has another one at its issuer',
      'on_failure: is continue for this trigger already; …',
    ],
    wayOut:
      'Use the one that has it, change it or remove it, or take another value. An identity is removed from the person who has it, or added to ' +
      'another person; the `on_failure` of a trigger changes by deleting and creating it.',
  },
  client_id_not_usable: {
    statuses: [409],
    words: ['client_id: cannot be used with this link'],
    wayOut: 'Take another client id.',
  },
  limit_reached: {
    statuses: [400, 409],
    words: [
      'API keys: there are 100 already; revoke one',
      'client secrets: an application has at most 2: delete one that is no longer used',
      'console invitations: there are 100 open ones already; delete one',
      'credential links: there are 100 open ones already; delete one',
      'directories: an organization has at most 1000',
      'directory links: there are 20 open ones already; delete one',
      'group_name: … would be in more than 1000 groups',
      'groups: a person can be in at most 1000 groups',
      'person: has 100 identities, which is the limit',
      'persons[0]: … is in 1000 groups, the most that a person can be in',
      'resources: an organization has at most 500',
      'tokens: the directory has 20 already; revoke one',
    ],
    wayOut: 'Delete one that is no longer used. The limit is the same for every organization, whatever its tier.',
  },
  group_kept_by_directory: {
    statuses: [409, 400],
    words: [
      'group: … is kept by the directory … and changed there',
      'groups: must be without …, kept by the directory …, which does not have the person in it',
      'groups: must have …, kept by the directory …, which has the person in it',
      'group_name: … is kept by the directory … already',
      'console_access[0].group: … is made by the directory …; …',
    ],
    wayOut:
      'A directory alone writes its groups: change it in Okta, Entra or whichever it is, or take another group ' +
      '([directories](../use/directories.md)).',
  },
  switched_off_by_directory: {
    statuses: [409],
    words: ['active: the directory … has switched the person off, and alone switches the person on'],
    wayOut: 'Have the customer switch the person on there, or [delete the directory](../use/directories.md).',
  },
  tenant_not_known: {
    statuses: [409],
    words: ['oauth_client_id: its provider does not tell the issuer of its tenant; test the credential'],
    wayOut: 'A [test sign-in](../use/providers.md#testing-a-credential) says why; afterwards the tenant is known.',
  },
  no_credential: {
    statuses: [409],
    words: ['credentials: there are none by which anybody can sign in to this organization'],
    wayOut: 'Make one, then open the invitation again.',
  },
  no_hook_trigger: {
    statuses: [409],
    words: ['webhook: has no trigger sync_hook token_minted'],
    wayOut: 'Add the trigger before a dry run.',
  },
  no_delivery_waits: {
    statuses: [409],
    words: ['webhook: has no delivery that waits for an attempt'],
    wayOut: 'There is nothing to try.',
  },
  attempt_under_way: {
    statuses: [409],
    words: ['webhook: an attempt is under way, or is about to begin'],
    wayOut: 'It is being tried: look at the delivery in a moment.',
  },
  webhook_paused: {
    statuses: [409],
    words: ['webhook: is paused because this database is a copy or its organization moves; it must be resumed first'],
    wayOut: 'Resume the webhook, then try again.',
  },
  delivery_not_finished: {
    statuses: [409],
    words: [
      'delivery: is not finished; pausing and resuming its webhook has what waits tried sooner',
      'delivery: is not finished, and is tried again by itself',
    ],
    wayOut:
      'Wait for its next attempt, or pause and resume its webhook. A logout token has its own [schedule](../use/single-logout.md).',
  },
  delivery_not_repeatable: {
    statuses: [409, 400],
    words: [
      'delivery: its trigger is no longer there',
      'delivery: its event must be at most …',
      'delivery: its application has no backchannel_logout_uri, or it is being sent again',
      'delivery: is a hook run, which is over with its sign-in',
      'delivery: is a hook run, whose content is not kept',
    ],
    wayOut:
      'It cannot be delivered again, nor signed anew. Set the `backchannel_logout_uri` of an application that has none.',
  },
  last_admin_key: {
    statuses: [409],
    words: ['API key: the last admin key cannot be revoked'],
    wayOut: 'Make another one before.',
  },
  last_owner: {
    statuses: [409],
    words: [
      'owners: no owner who is active and can sign in would be left; make somebody else an owner first, or use an admin key',
    ],
    wayOut:
      'Make somebody else an owner first, or use an admin key: [the last owner](../use/administrators.md#the-last-owner).',
  },
  no_owner_yet: {
    statuses: [409],
    words: [
      'console_key_sign_in: must stay true while no owner is active and can sign in, for nobody would enter the console',
    ],
    wayOut: '[Have an owner sign in once](../use/administrators.md#keys-at-the-console) before.',
  },
  last_client_secret: {
    statuses: [409],
    words: ['client secret: the last one cannot be deleted: add another one first, or rotate it'],
    wayOut: 'Do that: without any, nobody could authenticate as the application.',
  },
  application_is_public: {
    statuses: [409],
    words: ['confidential: must be true, for a public application has no client secret'],
    wayOut: 'Make it confidential before.',
  },
  named_by_setting: {
    statuses: [409],
    words: ['organization: is named by SIGNET_OPERATOR_ORGANIZATION', 'group: … is named by SIGNET_OPERATOR_GROUP'],
    wayOut: 'As [the operator](../operate/operators.md), name another one or none first.',
  },
  group_opens_console: {
    statuses: [409],
    words: ['group: … opens the console; take it out of console_access of the settings first'],
    wayOut: 'Take the group out of `console_access`, then delete it.',
  },
  rotated_just_now: {
    statuses: [409],
    words: ['emergency: the keys were made or rotated a moment ago; ask again in some seconds'],
    wayOut: 'Wait some seconds, then ask again.',
  },
  next_key_too_new: {
    statuses: [409],
    words: ['emergency: must be true to rotate before …, when the next key will have been published long enough'],
    wayOut: 'Wait until then; with `emergency` receivers may refuse for a while what the new key signs.',
  },

  body_too_large: {
    statuses: [413],
    words: ['body: must be at most 1 MiB'],
    wayOut: 'Send less at once.',
  },
  wrong_content_type: {
    statuses: [415],
    words: ['Content-Type: must be application/json', 'Content-Type: charset must be utf-8'],
    wayOut: 'Send that header.',
  },
  unknown_expectation: {
    statuses: [417],
    words: ['Expect: must be 100-continue'],
    wayOut: 'Leave `Expect` out.',
  },
  idempotency_key_reused: {
    statuses: [422],
    words: ['Idempotency-Key: must not be that of another request; this one differs from it'],
    wayOut:
      'Make a new key for each call; repeat one with the same address and the same bytes: [repeat a call](../use/repeating-calls.md).',
  },
  organization_moving: {
    statuses: [423],
    words: ['organization: has moved, or is moving, to another cell of this service'],
    wayOut: 'Try again, as `Retry-After` says: [cells](../operate/cells.md).',
  },
  organization_moved: {
    statuses: [423],
    words: ['organization: has moved, or is moving, to another cell of this service'],
    wayOut: 'Without `Retry-After` it has moved: use the new cell ([cells](../operate/cells.md)).',
  },
  rate_limited: {
    statuses: [429],
    words: ['rate limit exceeded; retry after 2 s'],
    wayOut: 'Wait as long as `Retry-After` says.',
  },
  too_many_streams: {
    statuses: [429],
    words: ['event streams: at most … at once'],
    wayOut: 'Close some.',
  },
  headers_too_large: {
    statuses: [431],
    words: ['headers: must be at most 32 KiB in total'],
    wayOut: 'Mostly cookies of the whole domain: send fewer.',
  },

  internal_error: {
    statuses: [500],
    words: ['internal error; request id …'],
    wayOut: 'Give the operator this id: the log has the rest.',
  },
  unknown_transfer_coding: {
    statuses: [501],
    words: ['Transfer-Encoding: must be chunked'],
    wayOut: 'The client, or a proxy, sends another coding.',
  },
  unavailable: {
    statuses: [503],
    words: ['service: temporarily unavailable; try again'],
    wayOut: 'Wait as long as `Retry-After` says.',
  },
  outcome_unknown: {
    statuses: [503],
    words: ['service: temporarily unavailable; the change may have been made, so check before you try again'],
    wayOut: 'Check whether the change was made. A call with an `Idempotency-Key` may be repeated without checking.',
  },
  page_prefetched: {
    statuses: [503],
    words: ['page: is not given in advance; ask again when the person does'],
    wayOut:
      'A browser fetched a page of a sign-in before the person asked for it (`Sec-Purpose: prefetch`): nothing was used up.',
  },
} as const satisfies Record<string, Described>

export type ErrorCode = keyof typeof errorCodes
/** Those that come with this status. */
export type CodeOf<Status extends number> = {
  [Code in ErrorCode]: Status extends (typeof errorCodes)[Code]['statuses'][number] ? Code : never
}[ErrorCode]
