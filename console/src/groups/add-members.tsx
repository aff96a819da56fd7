import type { Person } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Soft } from '../design/text.tsx'
import { notify } from '../design/toasts.tsx'
import { PersonsField } from '../persons/persons-field.tsx'
import type { Call } from '../service/signet.ts'
import { lacks } from '../session/session.ts'

export function AddMembers({ name, mayWrite }: { name: string; mayWrite: boolean }) {
  const [isOpen, setOpen] = useState(false)
  if (!mayWrite) return <Soft>{lacks('groups:write')}</Soft>
  return (
    <>
      <Button icon="plus" onClick={() => setOpen(true)}>
        Add members
      </Button>
      {isOpen && <AddMembersDialog name={name} onClose={() => setOpen(false)} />}
    </>
  )
}

function AddMembersDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const [persons, setPersons] = useState<Person[]>([])
  const call = useCallback<Call>(
    (client) =>
      client.addGroupMembers({
        path: { group_name: name },
        body: { persons: persons.map(({ person_id }) => person_id) },
      }),
    [name, persons],
  )
  const done = () => {
    onClose()
    notify(persons.length === 1 ? 'The person is in the group.' : `${persons.length} persons are in the group.`)
  }
  return (
    <Dialog isOpen title="Add members" onClose={onClose} isWide>
      <Form
        fields={[]}
        call={call}
        submit={persons.length > 1 ? `Add ${persons.length} persons` : 'Add to the group'}
        disabled={persons.length === 0}
        onSaved={done}
        onCancel={onClose}
      >
        <PersonsField persons={persons} onChange={setPersons} />
      </Form>
    </Dialog>
  )
}
