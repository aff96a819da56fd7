import type { DirectoryGroup } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Form } from '../calls/form.tsx'
import { Badge } from '../design/badge.tsx'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { List } from '../design/list.tsx'
import { Panel, Row } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { useSettled } from '../design/settled.ts'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { notify } from '../design/toasts.tsx'
import { useGroupNames } from '../persons/group-names.ts'
import { groupPath } from '../persons/group-path.ts'
import { Link } from '../router/index.ts'
import { type Call, signet } from '../service/signet.ts'
import { useAdminRefusal } from '../session/session.ts'
import { useDirectory } from './directory-page.tsx'

/** The groups of a directory, by its names and by those that tokens have. */
export function Component() {
  const { id } = useDirectory()
  const query = useOffsetPage()
  const groups = useQuery({
    queryKey: ['listDirectoryGroups', id, query],
    queryFn: ({ signal }) => signet.listDirectoryGroups({ path: { id }, query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Panel
      title="Groups"
      description="A directory makes groups of its own, and never becomes one of yours by giving a group its name. The name here is made once; a rename there does not change it, because tokens and applications have it."
      flush
    >
      <List
        query={groups}
        actions={<ExportCsv name="directory-groups" path={`/organizations/directories/${id}/groups`} />}
        caption="Groups of the directory"
        columns={columnsOf(id)}
        empty={none}
        keyOf={({ id: group }) => group}
      />
    </Panel>
  )
}

const none = (
  <Empty title="The directory has made no groups." icon="groups">
    In Okta they are chosen under Push Groups; in Entra they are assigned to the application as persons are.
  </Empty>
)

const columnsOf = (directoryId: string): Column<DirectoryGroup>[] => [
  { head: 'Name there', cell: ({ display_name }) => <ShortText>{display_name}</ShortText> },
  { head: 'Group here', cell: (group) => <GroupHere group={group} /> },
  { head: 'Members', cell: ({ members_count }) => members_count.toLocaleString(), align: 'end' },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} />, minor: true },
  { head: 'Tie', cell: (group) => <TieGroup directoryId={directoryId} group={group} />, align: 'end' },
]

const GroupHere = ({ group: { group_name, tied } }: { group: DirectoryGroup }) => (
  <Row>
    <Link to={groupPath(group_name)}>
      <ShortText>{group_name}</ShortText>
    </Link>
    {tied && <Badge>tied</Badge>}
  </Row>
)

type TieProps = { directoryId: string; group: DirectoryGroup }

function TieGroup({ directoryId, group }: TieProps) {
  const [isOpen, setOpen] = useState(false)
  const refusal = useAdminRefusal()
  return (
    <>
      <Button
        size="small"
        icon="link"
        disabled={refusal !== undefined}
        title={refusal}
        aria-label={`Tie ${group.display_name} to a group of yours`}
        onClick={() => setOpen(true)}
      >
        Tie
      </Button>
      {isOpen && <TieDialog directoryId={directoryId} group={group} onClose={() => setOpen(false)} />}
    </>
  )
}

function TieDialog({
  directoryId,
  group: { id, display_name, group_name, tied },
  onClose,
}: TieProps & { onClose: () => void }) {
  const [name, setName] = useState('')
  const names = useGroupNames(useSettled(name.trim()))
  const call = useCallback<Call>(
    (signet) => signet.tieDirectoryGroup({ path: { id: directoryId, scim_id: id }, body: { group_name: name.trim() } }),
    [directoryId, id, name],
  )
  const done = () => {
    notify('The group is tied.')
    onClose()
  }
  return (
    <Dialog isOpen title="Tie to a group of yours" onClose={onClose}>
      <Form
        fields={['group_name']}
        call={call}
        submit="Tie group"
        disabled={!name.trim() || name.trim() === group_name}
        onSaved={done}
        onCancel={onClose}
      >
        <p>
          <ShortText>{display_name}</ShortText> then is a group that is there already. Whoever is in{' '}
          <ShortText>{group_name}</ShortText> now joins it, beside those who are in it already, and
          PersonGroupsChanged_v1 is published for each. From then on the directory alone says who is in it: whatever
          your applications allow that group, they allow whom the customer puts in.
        </p>
        {!tied && (
          <p>
            The group <ShortText>{group_name}</ShortText>, which the directory has made, is deleted.
          </p>
        )}
        <TextField
          name="group_name"
          label="Name of your group"
          mono
          required
          value={name}
          onChange={setName}
          suggestions={names}
          hint="One that exists and is no directory’s. If its members may enter this console, the directory decides who does."
        />
      </Form>
    </Dialog>
  )
}
