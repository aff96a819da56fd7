import { useCallback, useState } from 'react'
import { useNavigate } from 'react-router'
import { TextField } from '../design/field.tsx'
import { Form } from '../design/form.tsx'
import { Lacking } from '../design/lacking.tsx'
import { Page, Panel } from '../design/page.tsx'
import { notify } from '../design/toasts.tsx'
import type { Call } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { DescriptionField } from './description-field.tsx'
import { groupPath } from './group-path.ts'

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
  const mayWrite = useMay('groups:write')
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const call = useCallback<Call>(
    (client) => client.createGroup({ body: { name, ...(description && { description }) } }),
    [name, description],
  )
  const onSaved = () => {
    notify('The group is created.')
    return navigate(groupPath(name))
  }
  return (
    <>
      <Lacking scope="groups:write" />
      <Panel>
        <Form
          fields={['name', 'description']}
          submit="Create group"
          disabled={!mayWrite}
          onCancel={() => navigate('/groups')}
          call={call}
          onSaved={onSaved}
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
    </>
  )
}
