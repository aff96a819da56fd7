import type { Person } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../calls/confirm-dialog.tsx'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Button } from '../design/button.tsx'
import { List } from '../design/list.tsx'
import { Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText } from '../design/text.tsx'
import { nameOf, PersonName } from '../persons/person-name.tsx'
import { signet } from '../service/signet.ts'
import { useGuard } from '../session/console-access.ts'
import { useMay } from '../session/session.ts'
import { AddMembers } from './add-members.tsx'

/** The persons in a group, as persons are listed. `isKept`: a directory alone says who they are. */
export function GroupMembers({ name, isKept }: { name: string; isKept: boolean }) {
  const guard = useGuard([name])
  const mayWrite = useMay('groups:write') && !guard && !isKept
  const [removing, setRemoving] = useState<Person>()
  const query = { ...useOffsetPage(), group: name }
  const members = useQuery({
    queryKey: ['listPersons', query],
    queryFn: ({ signal }) => signet.listPersons({ query, signal }),
    placeholderData: keepPreviousData,
  })
  const remove: Column<Person> = {
    head: 'Remove',
    cell: (person) => (
      <Button
        size="small"
        tone="quiet"
        icon="cross"
        onClick={() => setRemoving(person)}
        aria-label={`Remove ${nameOf(person)}`}
      />
    ),
    align: 'end',
  }
  return (
    <Panel
      title="Members"
      description={guard}
      actions={!guard && !isKept && <AddMembers name={name} mayWrite={mayWrite} />}
      flush
    >
      <List
        query={members}
        actions={<ExportCsv name="members" path="/persons" query={query} />}
        caption="Members of the group"
        columns={mayWrite ? [...columns, remove] : columns}
        keyOf={({ person_id }) => person_id}
        linkOf={({ person_id }) => `/persons/${person_id}`}
        empty={<Empty title="Nobody is in this group." icon="persons" />}
      />
      {removing && <RemoveMemberDialog name={name} person={removing} onClose={() => setRemoving(undefined)} />}
    </Panel>
  )
}

const columns: Column<Person>[] = [
  { head: 'Person', cell: (person) => <PersonName person={person} /> },
  { head: 'Person ID', cell: ({ person_id }) => <code>{person_id}</code>, minor: true },
]

type RemoveMemberDialogProps = { name: string; person: Person; onClose: () => void }

function RemoveMemberDialog({ name, person, onClose }: RemoveMemberDialogProps) {
  const { person_id } = person
  return (
    <ConfirmDialog
      isOpen
      title="Remove from the group?"
      action="Remove member"
      call={(client) => client.removeGroupMember({ path: { group_name: name, person_id } })}
      done="The person is no longer in the group."
      onClose={onClose}
    >
      <p>
        <ShortText>{nameOf(person)}</ShortText> leaves <ShortText>{name}</ShortText> and stays otherwise as they are.
        Tokens that are issued from then on no longer name the group; ID tokens that were issued before name it until
        they expire. No event is published.
      </p>
    </ConfirmDialog>
  )
}
