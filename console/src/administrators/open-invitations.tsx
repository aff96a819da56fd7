import type { ConsoleInvitation } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { AskingButton } from '../calls/asking-button.tsx'
import { ExportCsv } from '../calls/export-csv.tsx'
import { List } from '../design/list.tsx'
import { Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { type ConsoleAccess, roleNames, rolesOf } from '../session/roles.ts'

/** One that was used, has expired or was deleted is gone. */
export function OpenInvitations({ access }: { access: ConsoleAccess }) {
  const page = useOffsetPage()
  const query = useQuery({
    queryKey: ['listConsoleInvitations', page],
    queryFn: ({ signal }) => signet.listConsoleInvitations({ query: page, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Panel
      title="Open invitations"
      description="Who opens one signs in, becomes a member of its group, and enters with its role."
      flush
    >
      <List
        query={query}
        actions={<ExportCsv name="console-invitations" path="/organizations/console-invitations" />}
        caption="Open invitations"
        columns={columnsOf(access)}
        keyOf={({ id }) => id}
        empty={<Empty title="No invitation is open." icon="link" />}
      />
    </Panel>
  )
}

const columnsOf = (access: ConsoleAccess): Column<ConsoleInvitation>[] => [
  { head: 'Group', cell: ({ group }) => <ShortText>{group}</ShortText> },
  {
    head: 'Role',
    cell: ({ group }) =>
      rolesOf(access, [group])
        .map((role) => roleNames[role])
        .join(', '),
  },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} />, minor: true },
  { head: 'Expires', cell: ({ expires_at }) => <Ago at={expires_at} /> },
  { head: 'Delete', cell: (invitation) => <DeleteInvitation invitation={invitation} />, align: 'end' },
]

const DeleteInvitation = ({ invitation: { id, group } }: { invitation: ConsoleInvitation }) => (
  <AskingButton
    button={{
      tone: 'quiet',
      size: 'small',
      icon: 'trash',
      title: 'Delete',
      'aria-label': `Delete the invitation to ${group}`,
    }}
    title="Delete this invitation?"
    action="Delete invitation"
    call={(client) => client.deleteConsoleInvitation({ path: { id } })}
    done="The invitation is deleted."
  >
    <p>
      Whoever has the link to <ShortText>{group}</ShortText> sees that it does not open anything. Who came in by it
      before stays.
    </p>
  </AskingButton>
)
