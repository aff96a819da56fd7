import { type Static, Type } from 'typebox'
import { brokenTargetRule } from '../../delivery/webhooks/index.ts'
import { badRequest } from '../../ground/errors.ts'
import type { Rest } from '../../ground/http/chain/operation.ts'
import { closed, named, nullable, orAbsent, rule, ShownName } from '../../ground/http/chain/schemas.ts'
import { formatDuration, parseDuration } from '../../ground/runtime/duration.ts'
import type { ApplicationFields } from './application-store.ts'
import { brokenHomeUrlRule, brokenUriRule } from './redirect-uri.ts'

const maxUris = 50
const maxIntrospects = 50
const maxUriLength = 2_048

const Uri = Type.String({ maxLength: maxUriLength, ...rule(`must be at most ${maxUriLength} characters`) })
const Uris = (min: number) =>
  Type.Array(Uri, {
    minItems: min,
    maxItems: maxUris,
    uniqueItems: true,
    ...rule(`must be an array of ${min} to ${maxUris} URIs, none of them twice`),
  })
const Identifiers = Type.Array(Uri, {
  maxItems: maxIntrospects,
  uniqueItems: true,
  ...rule(`must be an array of at most ${maxIntrospects} identifiers of resources, none of them twice`),
})
const uriRule =
  'https, or http to `localhost`, `127.0.0.1` or `[::1]`, or for a public application a scheme of its own with a period ' +
  'in it (RFC 8252); without a fragment. Compared character by character, but for the port of `http://127.0.0.1` and ' +
  '`http://[::1]` of a public application.'
const maxGraceMs = 60_000
const graceRule = `must be a duration from 0s to ${formatDuration(maxGraceMs)}, such as 10s`
const Switch = Type.Boolean(rule('must be true or false'))

export const applicationFields = {
  name: { ...ShownName, examples: ['Customer portal'] },
  redirect_uris: {
    ...Uris(1),
    description: `Where a sign-in may end: ${uriRule}`,
    examples: [['https://app.example.com/callback']],
  },
  post_logout_redirect_uris: {
    ...Uris(0),
    description: `Where a sign-out may end; none by default: ${uriRule}`,
    examples: [['https://app.example.com/']],
  },
  confidential: {
    ...Switch,
    description:
      'Whether the application can keep a secret, and so has one: one on a server can, one in a browser or on a device ' +
      'cannot. Default: false.',
  },
  id_token_signed_response_alg: Type.Enum(['RS256', 'ES256'], {
    description: 'The algorithm that signs its ID tokens. Default: RS256, which every client supports.',
  }),
  require_pkce: {
    ...Switch,
    description:
      'Whether each sign-in must use PKCE (S256). Default: true. May be false for a confidential application only, which ' +
      'must then send a nonce, unless `require_nonce` is false too.',
  },
  require_nonce: {
    ...Switch,
    description:
      'Whether a sign-in without PKCE must send a nonce. Default: true. May be false only where `confidential` is true and ' +
      '`require_pkce` is false: for a library that supports neither.',
  },
  home_url: {
    ...Uri,
    description:
      'The page of the application to which a person returns who cannot go on: https, or http to `localhost`, `127.0.0.1` or ' +
      '`[::1]`; at most 2,048 characters. None by default.',
    examples: ['https://app.example.com/'],
  },
  introspects: {
    ...Identifiers,
    description:
      'The identifiers of the resources whose access tokens the application may introspect: an API names its own. Default: ' +
      'none. Only a confidential application can introspect.',
    examples: [['https://api.example.com']],
  },
  backchannel_logout_uri: {
    ...Uri,
    description:
      'Where logout tokens go (OpenID Connect Back-Channel Logout 1.0): `https://` and a host name that is neither ' +
      '`localhost` nor an IP address; no user and no fragment; at most 2,048 characters. None by default.',
    examples: ['https://app.example.com/backchannel-logout'],
  },
  backchannel_logout_session_required: {
    ...Switch,
    description: 'Whether a logout token names the session (`sid`) where it has one. Default: true.',
  },
  groups_claim: {
    ...Switch,
    description: 'Whether tokens and user info name the groups of the person. Default: true.',
  },
  refresh_token_grace: Type.String({
    examples: ['10s'],
    ...rule(graceRule),
    description:
      'How long after its first use a refresh token may be used again, up to twenty times in all: by tabs and calls at once or after ' +
      'a lost reply. From `0s` (never) to `60s`. Default: `10s`. A later use revokes all tokens of the sign-in.',
  }),
}
const { name, redirect_uris, ...others } = applicationFields
const { post_logout_redirect_uris, confidential, id_token_signed_response_alg, ...switches } = others
const { require_pkce, require_nonce, groups_claim, refresh_token_grace, ...addresses } = switches
const { home_url, introspects, backchannel_logout_uri, backchannel_logout_session_required } = addresses

/** Alike in a new application and in a change: `null` is the default. */
const withDefaults = (orNull: typeof nullable) => ({
  post_logout_redirect_uris: Type.Optional(orNull(post_logout_redirect_uris)),
  confidential: Type.Optional(orNull(confidential)),
  id_token_signed_response_alg: Type.Optional(orNull(id_token_signed_response_alg)),
  require_pkce: Type.Optional(orNull(require_pkce)),
  require_nonce: Type.Optional(orNull(require_nonce)),
  groups_claim: Type.Optional(orNull(groups_claim)),
  refresh_token_grace: Type.Optional(orNull(refresh_token_grace)),
  home_url: Type.Optional(orNull(home_url)),
  introspects: Type.Optional(orNull(introspects)),
  backchannel_logout_uri: Type.Optional(orNull(backchannel_logout_uri)),
  backchannel_logout_session_required: Type.Optional(orNull(backchannel_logout_session_required)),
})

export const NewApplication = named(
  'NewApplication',
  closed({
    name,
    redirect_uris,
    ...withDefaults(orAbsent),
  }),
)

export const ApplicationChanges = named(
  'ApplicationChanges',
  closed(
    {
      name: Type.Optional(name),
      redirect_uris: Type.Optional(redirect_uris),
      ...withDefaults(nullable),
      id_token_signed_response_alg: Type.Optional(
        nullable({ ...id_token_signed_response_alg, ...rule('must be RS256 or ES256') }),
      ),
    },
    { examples: [{ name: 'Customer portal', id_token_signed_response_alg: 'ES256' }] },
  ),
)

type NewApplication = Static<typeof NewApplication>
type ApplicationChanges = Static<typeof ApplicationChanges>

/** Ports that the operator allows for deliveries; undefined: all. */
export type Ports = ReadonlySet<number> | undefined
type Switches = Pick<ApplicationFields, 'confidential' | 'require_pkce' | 'require_nonce'>

const defaults = {
  post_logout_redirect_uris: [],
  confidential: false,
  id_token_signed_response_alg: 'RS256' as const,
  require_pkce: true,
  require_nonce: true,
  groups_claim: true,
  refresh_token_grace: '10s',
  home_url: null,
  introspects: [],
  backchannel_logout_uri: null,
  backchannel_logout_session_required: true,
}

/** Throws as `checkFields` does. */
export const readNewApplication = (body: NewApplication, allowPorts: Ports): ApplicationFields =>
  mergeFields({ ...defaults, name: body.name, redirect_uris: body.redirect_uris }, body, allowPorts)

/** Applies a merge patch (RFC 7396): absent fields stay, null restores the default. Throws as `checkFields` does. */
export function mergeFields(
  before: ApplicationFields,
  changes: Rest<ApplicationChanges>,
  allowPorts: Ports,
): ApplicationFields {
  const fields = { ...before, ...restored(changes) } as ApplicationFields
  // An address that was stored stays when the operator allows fewer ports later.
  checkFields(fields, changes.backchannel_logout_uri === undefined ? undefined : allowPorts)
  return withCanonicalGrace(fields)
}

function restored(changes: Rest<ApplicationChanges>): Rest<ApplicationFields> {
  const restore = ([field, value]: [string, unknown]) => [field, value ?? defaults[field as keyof typeof defaults]]
  return Object.fromEntries(Object.entries(changes).map(restore))
}

const withCanonicalGrace = (fields: ApplicationFields): ApplicationFields => ({
  ...fields,
  refresh_token_grace: formatDuration(parseDuration(fields.refresh_token_grace) ?? 0),
})

/** Throws a 400 with all problems of the fields that are present. */
export function checkFields(input: Rest<ApplicationChanges>, allowPorts: Ports) {
  const fields = { ...defaults, redirect_uris: [], ...restored(input) }
  const problems = [
    ...brokenUris('redirect_uris', fields),
    ...brokenUris('post_logout_redirect_uris', fields),
    ...(fields.confidential || fields.require_pkce ? [] : ['require_pkce: must be true unless confidential is']),
    ...brokenNonceRule(fields),
    ...(isGrace(fields.refresh_token_grace) ? [] : [`refresh_token_grace: ${graceRule}`]),
    ...broken('home_url', fields.home_url, brokenHomeUrlRule),
    ...broken('backchannel_logout_uri', fields.backchannel_logout_uri, (uri) => brokenTargetRule(uri, allowPorts)),
  ]
  if (problems.length > 0) throw badRequest('invalid_value', ...problems)
}

/** With PKCE switched off by a public application, that is what is wrong. */
const brokenNonceRule = ({ confidential, require_pkce, require_nonce }: Switches) =>
  require_nonce || (confidential && !require_pkce) || (!confidential && !require_pkce)
    ? []
    : ['require_nonce: must be true unless confidential is true and require_pkce is false']

function broken(field: string, text: string | null | undefined, ruleOf: (text: string) => string | undefined) {
  const rule = typeof text === 'string' ? ruleOf(text) : undefined
  return rule ? [`${field}: ${rule}`] : []
}

function isGrace(text: string): boolean {
  const ms = parseDuration(text)
  return ms !== undefined && ms >= 0 && ms <= maxGraceMs
}

type UriField = 'redirect_uris' | 'post_logout_redirect_uris'
type CheckedFields = Rest<ApplicationFields> & { confidential: boolean }

const brokenUris = (field: UriField, fields: CheckedFields): string[] =>
  (fields[field] ?? []).flatMap((uri, index) => {
    const broken = uri !== undefined && brokenUriRule(uri, fields.confidential)
    return broken ? [`${field}[${index}]: ${broken}`] : []
  })
