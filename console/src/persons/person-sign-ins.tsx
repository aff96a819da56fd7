import { useQuery } from '@tanstack/react-query'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { SignInsTable } from '../sign-in/sign-ins-table.tsx'
import { shownOfStory } from './story.ts'

/** How the person signed in lately, and when they could not. */
export function PersonSignIns({ personId }: { personId: string }) {
  const mayRead = [useMay('events:read'), useMay('persons:read')].every(Boolean)
  const query = { person_id: personId, limit: shownOfStory }
  const signIns = useQuery({
    queryKey: ['listSignIns', query],
    queryFn: ({ signal }) => signet.listSignIns({ query, signal }),
    enabled: mayRead,
  })
  if (!mayRead) return null
  return (
    <Panel
      title="Sign-ins"
      description="Those in which the person was recognised, the newest first."
      actions={<Link to={`/sign-in/sign-ins?person_id=${personId}`}>All sign-ins</Link>}
      flush
    >
      <Loaded query={signIns} lines={3}>
        {({ result }) => (
          <SignInsTable
            signIns={result}
            isOfOne
            empty={
              <Empty title="No sign-ins.">
                The person has not signed in for as long as sign-ins are kept, usually 30 days.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Panel>
  )
}
