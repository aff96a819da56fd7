const areas = [
  'groups',
  'persons',
  'webhooks',
  'hooks',
  'deliveries',
  'events',
  'credentials',
  'directories',
  'applications',
  'resources',
  'settings',
  'api-keys',
] as const

/** What an API key may do. The audit log is written by no call. */
export type Scope = `${(typeof areas)[number]}:${'read' | 'write'}` | 'audit-log:read'

export const allScopes: readonly Scope[] = [
  ...areas.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  'audit-log:read',
]
export const readScopes = allScopes.filter((scope) => scope.endsWith(':read'))

/** `write` reads too. */
export const covers = (scopes: readonly Scope[], scope: Scope) =>
  scopes.includes(scope) || (scope.endsWith(':read') && scopes.includes(scope.replace(/read$/, 'write') as Scope))

export const missingOf = (scopes: readonly Scope[], needed: readonly Scope[]) =>
  needed.filter((scope) => !covers(scopes, scope))

/** `a, b and c`. */
export const listed = (names: readonly string[]) => names.join(', ').replace(/, (?!.*, )/, ' and ')
