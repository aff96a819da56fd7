import type { ApiKey } from '@signet/management'
import { Badge } from '../design/badge.tsx'
import { scopes as all } from '../session/scopes.ts'

const readScopes = all.filter((scope) => scope.endsWith(':read'))

/** What a key may do: its scopes, without those for reading that writing has in it, unless a word says it for all. */
export function ScopeList({ scopes, read_only }: Pick<ApiKey, 'scopes' | 'read_only'>) {
  if (all.every((scope) => scopes.includes(scope))) return <Badge tone="accent">all scopes: admin key</Badge>
  if (read_only && readScopes.every((scope) => scopes.includes(scope))) return <Badge>all that read</Badge>
  const written: readonly string[] = scopes
  return scopes
    .filter((scope) => !written.includes(scope.replace(/:read$/, ':write')) || scope.endsWith(':write'))
    .join(', ')
}
