import type { Directory } from '@signet/management'
import { Badge } from '../design/badge.tsx'

type DirectoryStateProps = { directory: Pick<Directory, 'enabled' | 'last_request_at'> }

/** Whether its requests are accepted, and whether there was one. */
export function DirectoryState({ directory: { enabled, last_request_at } }: DirectoryStateProps) {
  if (!enabled) return <Badge tone="warn">off</Badge>
  return last_request_at ? <Badge tone="good">on</Badge> : <Badge>not connected yet</Badge>
}
