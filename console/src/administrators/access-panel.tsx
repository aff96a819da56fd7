import { OpenedRecord } from '../calls/form.tsx'
import { Panel } from '../design/page.tsx'
import { Empty } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText } from '../design/text.tsx'
import { groupPath } from '../persons/group-path.ts'
import { Link } from '../router/index.ts'
import { type ConsoleAccess, roleNames, whatRolesDo } from '../session/roles.ts'
import { useIsAdmin } from '../session/session.ts'
import { AccessForm } from './access-form.tsx'
import { onlyAdmins } from './only-admins.ts'

const what =
  'The members of these groups, each with the role of the group. Who is in several has all of their roles. Only owners and admin keys change who is in such a group.'

/** The groups whose members may enter: changed by those who may, shown to everybody else. */
export function AccessPanel({ access }: { access: ConsoleAccess }) {
  if (!useIsAdmin())
    return (
      <Panel title="Who may enter" description={onlyAdmins('change who may enter')} flush>
        <Table caption="Who may enter" columns={columns} items={access} keyOf={({ group }) => group} empty={nobody} />
      </Panel>
    )
  return (
    <Panel title="Who may enter" description={what}>
      <OpenedRecord record={access}>
        {(opened, onSaved) => <AccessForm opened={opened} onSaved={onSaved} />}
      </OpenedRecord>
    </Panel>
  )
}

type Entry = ConsoleAccess[number]

const columns: Column<Entry>[] = [
  {
    head: 'Group',
    cell: ({ group }) => (
      <Link to={groupPath(group)}>
        <ShortText>{group}</ShortText>
      </Link>
    ),
  },
  { head: 'Role', cell: ({ role }) => roleNames[role] },
  { head: 'May', cell: ({ role }) => whatRolesDo[role] },
]

const nobody = <Empty title="No group is let in: only API keys enter this console." icon="persons" />
