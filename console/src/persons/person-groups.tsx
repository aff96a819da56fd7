import type { Person } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { Difference } from '../design/difference.tsx'
import { Panel } from '../design/page.tsx'
import { notify } from '../design/toasts.tsx'
import type { Call } from '../service/signet.ts'
import { lacks, useMay } from '../session/session.ts'
import type { Keeper } from '../sign-in/keeper.tsx'
import { groupChanges } from './group-changes.ts'
import { GroupsField } from './groups-field.tsx'
import { useKeptGroups } from './use-kept-groups.ts'

/** The groups of a person: what a change does is shown before it is saved. */
export function PersonGroups({ person, keeper }: { person: Person; keeper: Keeper | undefined }) {
  const mayWrite = useMay('groups:write')
  const kept = useKeptGroups(keeper)
  if (!mayWrite)
    return (
      <Panel title="Groups" description={lacks('groups:write')}>
        <GroupsField groups={person.groups} />
      </Panel>
    )
  return (
    <Panel title="Groups" description="They are in the claim groups of the tokens that the person gets from then on.">
      <OpenedRecord record={person.groups}>
        {(before, onSaved) => <GroupsForm personId={person.person_id} before={before} kept={kept} onSaved={onSaved} />}
      </OpenedRecord>
    </Panel>
  )
}

type GroupsFormProps = {
  personId: string
  before: string[]
  kept: readonly string[]
  onSaved: (groups: string[]) => void
}

function GroupsForm({ personId: person_id, before, kept, onSaved }: GroupsFormProps) {
  const [groups, setGroups] = useState(before)
  const changes = groupChanges(before, groups)
  const call = useCallback<Call<{ result: string[] }>>(
    (client) => client.setPersonGroups({ path: { person_id }, body: { groups } }),
    [groups, person_id],
  )
  const read: Call<object> = async (client) => ({
    groups: (await client.getPerson({ path: { person_id } })).result.groups,
  })
  const saved = ({ result }: { result: string[] }) => {
    notify('The groups are saved.')
    onSaved(result)
  }
  return (
    <Form
      fields={[]}
      call={call}
      submit="Save groups"
      disabled={changes.length === 0}
      onSaved={saved}
      opened={{ record: { groups: before }, read }}
    >
      <GroupsField groups={groups} kept={kept} onChange={setGroups} />
      {changes.length > 0 && <Difference differences={changes} before="Now" after="Once saved" />}
    </Form>
  )
}
