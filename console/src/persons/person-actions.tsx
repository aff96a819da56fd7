import type { Person } from '@signet/management'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ConfirmDialog } from '../calls/confirm-dialog.tsx'
import { Button } from '../design/button.tsx'
import { ShortText } from '../design/text.tsx'
import { notify } from '../design/toasts.tsx'
import { useMay } from '../session/session.ts'
import { nameOf } from './person-name.tsx'

/** What can be done with a person as a whole. */
export function PersonActions({ person }: { person: Person }) {
  const mayWrite = useMay('persons:write')
  const [asked, ask] = useState<'activity' | 'deletion'>()
  if (!mayWrite) return null
  return (
    <>
      <Button onClick={() => ask('activity')}>{person.active ? 'Deactivate' : 'Activate'}</Button>
      <Button tone="danger" icon="trash" onClick={() => ask('deletion')}>
        Delete
      </Button>
      <ActivityDialog person={person} isOpen={asked === 'activity'} onClose={() => ask(undefined)} />
      <DeletePersonDialog person={person} isOpen={asked === 'deletion'} onClose={() => ask(undefined)} />
    </>
  )
}

type PersonDialogProps = { person: Person; isOpen: boolean; onClose: () => void }

function ActivityDialog({ person: { person_id, active }, isOpen, onClose }: PersonDialogProps) {
  const done = () => {
    onClose()
    notify(active ? 'The person is deactivated.' : 'The person is active again.')
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={active ? 'Deactivate this person?' : 'Activate this person?'}
      action={active ? 'Deactivate' : 'Activate'}
      tone={active ? 'danger' : 'primary'}
      call={(client) => client.changePerson({ path: { person_id }, body: { active: !active } })}
      onDone={done}
      onClose={onClose}
    >
      {active ? (
        <p>
          The person is signed out of everything at once, and cannot sign in until somebody activates them again:
          refresh tokens and user info fail from then on. ID tokens that were issued stay valid until they expire.
          Handles, groups and identities stay. No event is published.
        </p>
      ) : (
        <p>
          The person can sign in again, with the handles, groups and identities that they have. No event is published.
        </p>
      )}
    </ConfirmDialog>
  )
}

function DeletePersonDialog({ person, isOpen, onClose }: PersonDialogProps) {
  const navigate = useNavigate()
  const { person_id } = person
  const done = () => {
    notify('The person is deleted.')
    return navigate('/persons')
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Delete this person?"
      action="Delete person"
      typed={nameOf(person)}
      call={(signet) => signet.deletePerson({ path: { person_id } })}
      onDone={done}
      onClose={onClose}
    >
      <p>
        <ShortText>{nameOf(person)}</ShortText> is deleted for good. This cannot be undone.
      </p>
      <ul>
        <li>
          PersonDeleted_v1 is published with the handles and groups that the person has now, and goes to every webhook
          with that trigger.
        </li>
        <li>The person is signed out of everything: sessions end, refresh tokens and user info fail.</li>
        <li>
          Handles, memberships and identities are deleted. Whoever signs in with one of these accounts later is a new
          person with another ID, where self-registration allows one. Identities that were removed before stay
          remembered.
        </li>
        <li>Earlier events and entries of the audit log keep the ID until they are too old to be kept.</li>
      </ul>
    </ConfirmDialog>
  )
}
