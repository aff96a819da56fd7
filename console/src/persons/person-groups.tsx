import type { Person } from '@signet/management'
import { useCallback, useState } from 'react'
import { Difference } from '../design/difference.tsx'
import { Form } from '../design/form.tsx'
import { Panel } from '../design/page.tsx'
import { notify } from '../design/toasts.tsx'
import { GroupsField } from '../groups/groups-field.tsx'
import type { Call } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { groupChanges } from './group-changes.ts'
import { usePersonChanged } from './person-queries.ts'

/** The groups of a person: what a change does is shown before it is saved. */
export function PersonGroups({ person }: { person: Person }) {
  const mayWrite = useMay('groups:write')
  const [edition, setEdition] = useState(0)
  if (!mayWrite)
    return (
      <Panel title="Groups" description="This key lacks the scope groups:write, which changes them.">
        <GroupsField groups={person.groups} />
      </Panel>
    )
  return (
    <Panel title="Groups" description="They are in the claim groups of the tokens that the person gets from then on.">
      <GroupsForm key={edition} person={person} onSaved={() => setEdition(edition + 1)} />
    </Panel>
  )
}

function GroupsForm({ person, onSaved }: { person: Person; onSaved: () => void }) {
  const changed = usePersonChanged()
  const [before] = useState(person.groups)
  const [groups, setGroups] = useState(before)
  const changes = groupChanges(before, groups)
  const { person_id } = person
  const call = useCallback<Call>(
    (client) => client.setPersonGroups({ path: { person_id }, body: { groups } }),
    [groups, person_id],
  )
  const read: Call<object> = async (client) => ({
    groups: (await client.getPerson({ path: { person_id } })).result.groups,
  })
  const save = async () => {
    await changed()
    notify('The groups are saved.')
    onSaved()
  }
  return (
    <Form
      fields={[]}
      call={call}
      submit="Save groups"
      disabled={changes.length === 0}
      onSaved={save}
      opened={{ record: { groups: before }, read }}
    >
      <GroupsField groups={groups} onChange={setGroups} />
      {changes.length > 0 && <Difference differences={changes} before="Now" after="Once saved" />}
    </Form>
  )
}
