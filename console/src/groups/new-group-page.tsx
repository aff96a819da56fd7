import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { TextField } from '../design/field.tsx'
import { Page, Panel } from '../design/page.tsx'
import { groupPath } from '../persons/group-path.ts'
import { useNavigate } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { DescriptionField } from './description-field.tsx'

export const Component = () => (
  <Page
    title="Create group"
    lead="Persons are put in afterwards. Applications get the name in the tokens of its members."
    parent={{ to: '/groups', name: 'Groups' }}
  >
    <NewGroupForm />
  </Page>
)

function NewGroupForm() {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const call = useCallback<Call>(
    (client) => client.createGroup({ body: { name, ...(description && { description }) } }),
    [name, description],
  )
  return (
    <Panel>
      <Form
        fields={['name', 'description']}
        submit="Create group"
        scope="groups:write"
        call={call}
        saved="The group is created."
        onSaved={() => navigate(groupPath(name))}
        onCancel={() => navigate('/groups')}
      >
        <TextField
          name="name"
          label="Name"
          value={name}
          onChange={setName}
          required
          mono
          maxLength={100}
          placeholder="staff"
          hint="2 to 100 of A-Z a-z 0-9 - _ . with a letter or digit at both ends. It cannot be changed later. A group that exists already stays as it is."
        />
        <DescriptionField value={description} onChange={setDescription} />
      </Form>
    </Panel>
  )
}
