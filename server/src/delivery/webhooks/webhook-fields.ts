import { type Static, Type } from 'typebox'
import { badRequest } from '../../ground/errors.ts'
import type { Rest } from '../../ground/http/chain/operation.ts'
import { closed, Description, Name, named, nullable, orAbsent, rule } from '../../ground/http/chain/schemas.ts'
import { formatDuration, parseDuration } from '../../ground/runtime/duration.ts'
import { type CustomHeaders, checkCustomHeaders } from './custom-headers.ts'
import { checkTargetUrl } from './target-url.ts'
import type { Changes, WebhookColumns } from './webhook-store.ts'

/** Shorter than a lease, so that a live worker always settles in time. */
export const maxTimeoutMs = 20_000
/** In less no receiver beyond a network answers. */
const minTimeoutMs = 100
const timeoutRule = `must be 0s, or a duration from ${formatDuration(minTimeoutMs)} to ${formatDuration(maxTimeoutMs)}, such as 500ms or 2.5s`

export const webhookFields = {
  target_url: Type.String({
    description:
      'The URL that is called. It starts with `https://` and a host name that is neither `localhost` nor an IP address, ' +
      'has no user, query or fragment, is at most 2,048 characters long, and is the target of no other webhook of the ' +
      'organization.',
    examples: ['https://receiver.example.com/hook'],
  }),
  name: Name,
  description: Description,
  // `additionalProperties`, because `patternProperties` would not check the values of a name with a line end.
  custom_headers: Type.Unsafe<CustomHeaders>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    ...rule('must be an object, from header names to arrays of values'),
    description:
      'Sent with every call, each value as a line of its own: at most 50 lines, and 16 KiB of names and values together. ' +
      'Stored encrypted, and shown to admin keys only.',
    examples: [{ authorization: ['Bearer 2nQ7'] }],
    'x-never-in-csv': true,
  }),
  timeout: Type.String({
    ...rule(timeoutRule),
    description:
      'How long a call may take, from `100ms` to `20s`: a number with its unit (`ms`, `s`), such as `500ms` or `2.5s`; or ' +
      '`0s`, the default, which stands for 10 s for event triggers and 2 s for synchronous hooks.',
    examples: ['5s'],
  }),
  enabled: Type.Boolean({ description: 'Whether its event triggers are called. Synchronous hooks are, either way.' }),
}

const { target_url, name, description, custom_headers, timeout, enabled } = webhookFields

/** Of a list of webhooks. */
export const NameFilter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    ...rule('must be 1 to 200 characters'),
    description: 'Only those with this anywhere in their name or in `target_url`; capital letters count as small ones.',
    examples: ['customer'],
  }),
)

export const NewWebhook = named(
  'NewWebhook',
  closed({
    target_url,
    name,
    description: Type.Optional(orAbsent(description)),
    custom_headers: Type.Optional(orAbsent(custom_headers)),
    timeout: Type.Optional(orAbsent(timeout)),
  }),
)

export const WebhookChanges = named(
  'WebhookChanges',
  closed(
    {
      target_url: Type.Optional(target_url),
      name: Type.Optional(name),
      description: Type.Optional(nullable(description)),
      custom_headers: Type.Optional(nullable(custom_headers)),
      timeout: Type.Optional(nullable(timeout)),
      enabled: Type.Optional(enabled),
    },
    { examples: [{ timeout: '10s', enabled: false }] },
  ),
)

type NewWebhook = Static<typeof NewWebhook>
export type WebhookChanges = Static<typeof WebhookChanges>
type Given<Body> = { [Field in keyof Body]: Exclude<Body[Field], null> }
type Encrypt = (headers: CustomHeaders) => Buffer | null

const defaults = { description: '', custom_headers: {}, timeout: '0s' }

/** The columns of a new webhook. Throws a 400 with all problems. */
export const readNewWebhook = (body: NewWebhook, encrypt: Encrypt, allowPorts?: ReadonlySet<number>) =>
  readChanges({ ...defaults, ...body }, encrypt, allowPorts) as WebhookColumns

/** A merge patch (RFC 7396): absent fields stay, null restores the default. Throws as `readNewWebhook` does. */
export function readChanges(body: WebhookChanges, encrypt: Encrypt, allowPorts?: ReadonlySet<number>): Changes {
  const restore = ([field, value]: [string, unknown]) => [field, value ?? defaults[field as keyof typeof defaults]]
  const fields: Given<WebhookChanges> = Object.fromEntries(Object.entries(body).map(restore))
  const { target_url, name, description, custom_headers } = fields
  const { target, wait } = checkFields(fields, allowPorts)
  return {
    target_url,
    target_key: target.normalized,
    name,
    description,
    custom_headers: custom_headers && encrypt(custom_headers),
    timeout_ms: wait.ms,
  }
}

/** Checks the fields that are present. Throws a 400 with all problems. */
export function checkFields(
  { target_url, custom_headers, timeout }: Rest<NewWebhook | WebhookChanges>,
  allowPorts: ReadonlySet<number> | undefined,
) {
  const target: { normalized?: string; problem?: string } =
    target_url === undefined ? {} : checkTargetUrl(target_url, allowPorts)
  const wait: { ms?: number; problem?: string } = typeof timeout === 'string' ? readTimeout(timeout) : {}
  const problems = [target.problem, wait.problem, ...checkCustomHeaders(custom_headers ?? {})]
  const found = problems.filter((problem) => problem !== undefined)
  if (found.length > 0) throw badRequest('invalid_value', ...found)
  return { target, wait }
}

function readTimeout(text: string): { ms: number } | { problem: string } {
  const ms = parseDuration(text)
  if (ms === 0 || (ms !== undefined && ms >= minTimeoutMs && ms <= maxTimeoutMs)) return { ms }
  return { problem: `timeout: ${timeoutRule}` }
}
