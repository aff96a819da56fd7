import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { SwitchField } from '../design/field.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { lacks, useMay } from '../session/session.ts'
import { GroupsField } from './groups-field.tsx'
import { fieldsOf, toHandles, withNewRow } from './handle-rows.ts'
import { HandlesField, VerifiedHint } from './handles-field.tsx'

export const Component = () => (
  <Page
    title="Create person"
    lead="A person has an ID of its own and any number of handles. PersonCreated_v1 is published for it."
    parent={{ to: '/persons', name: 'Persons' }}
  >
    <NewPersonForm />
  </Page>
)

function NewPersonForm() {
  const navigate = useNavigate()
  const mayJoin = useMay('groups:write')
  const [rows, setRows] = useState(() => withNewRow([]))
  const [groups, setGroups] = useState<string[]>([])
  const [active, setActive] = useState(true)
  const call = useCallback<Call<{ result: { person_id: string } }>>(
    (client) =>
      client.createPerson({
        body: {
          handles: toHandles(rows, []),
          ...(groups.length > 0 && { groups }),
          ...(!active && { active }),
        },
      }),
    [rows, groups, active],
  )
  return (
    <Form
      fields={[...fieldsOf(rows), 'active']}
      submit="Create person"
      scope="persons:write"
      call={call}
      saved="The person is created."
      onSaved={({ result }) => navigate(`/persons/${result.person_id}`)}
      onCancel={() => navigate('/persons')}
    >
      <Panel title="Handles" description={<VerifiedHint />}>
        <HandlesField rows={rows} before={[]} onChange={setRows} />
      </Panel>
      <Panel
        title="Groups"
        description={mayJoin ? 'Groups that exist. They are in the tokens of the person.' : lacks('groups:write')}
      >
        <GroupsField groups={groups} {...(mayJoin && { onChange: setGroups })} />
      </Panel>
      <Panel title="Sign-in">
        <SwitchField
          name="active"
          label="Active"
          checked={active}
          onChange={setActive}
          hint="A person who is not active cannot sign in."
        />
      </Panel>
    </Form>
  )
}
