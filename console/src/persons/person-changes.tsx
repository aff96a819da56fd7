import { useQuery } from '@tanstack/react-query'
import { Entry } from '../audit-log/entry.tsx'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { shownOfStory } from './story.ts'

/** The newest entries of the audit log whose target is the person. */
export function PersonChanges({ personId }: { personId: string }) {
  const mayRead = useMay('audit-log:read')
  const query = { target: personId, limit: shownOfStory }
  const changes = useQuery({
    queryKey: ['listAuditEntries', query],
    queryFn: ({ signal }) => signet.listAuditEntries({ query, signal }),
    enabled: mayRead,
  })
  if (!mayRead) return null
  return (
    <Panel
      title="Changes"
      description="What was done to the person through the interface or the console, the newest first."
      actions={<Link to={`/audit-log?target=${personId}`}>All changes</Link>}
      flush
    >
      <Loaded query={changes} lines={3}>
        {({ result }) =>
          result.length === 0 ? (
            <Empty title="No changes.">
              The person was made by a sign-in or by a directory, and nobody changed it.
            </Empty>
          ) : (
            result.map((entry) => <Entry key={entry.id} entry={entry} />)
          )
        }
      </Loaded>
    </Panel>
  )
}
