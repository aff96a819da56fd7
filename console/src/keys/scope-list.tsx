import type { ApiKey } from '@signet/management'
import { Badge } from '../design/badge.tsx'
import { scopes as all } from '../session/scopes.ts'

const maxShown = 4
const readScopes = all.filter((scope) => scope.endsWith(':read'))

/** What a key may do, in as few words as possible. */
export function ScopeList({ scopes, read_only }: Pick<ApiKey, 'scopes' | 'read_only'>) {
  if (all.every((scope) => scopes.includes(scope))) return <Badge tone="accent">all scopes: admin key</Badge>
  if (read_only && readScopes.every((scope) => scopes.includes(scope))) return <Badge>all that read</Badge>
  const rest = scopes.slice(maxShown)
  return (
    <span title={scopes.join(', ')}>
      {scopes.slice(0, maxShown).join(', ')}
      {rest.length > 0 && ` and ${rest.length} more`}
    </span>
  )
}
