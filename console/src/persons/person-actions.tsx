import type { Person } from '@signet/management'
import { AskingButton } from '../calls/asking-button.tsx'
import { ShortText } from '../design/text.tsx'
import { useMay } from '../session/session.ts'
import { type Keeper, KeeperLink } from '../sign-in/keeper.tsx'
import { nameOf } from './person-name.tsx'

type PersonActionsProps = { person: Person; keeper: Keeper | undefined }

/** What can be done with a person as a whole. */
export function PersonActions({ person, keeper }: PersonActionsProps) {
  if (!useMay('persons:write')) return null
  return (
    <>
      <ChangeActivity person={person} keeper={keeper} />
      <DeletePerson person={person} keeper={keeper} />
    </>
  )
}

function ChangeActivity({ person: { person_id, active }, keeper }: PersonActionsProps) {
  return (
    <AskingButton
      label={active ? 'Deactivate' : 'Activate'}
      title={active ? 'Deactivate this person?' : 'Activate this person?'}
      action={active ? 'Deactivate' : 'Activate'}
      tone={active ? 'danger' : 'primary'}
      call={(client) => client.changePerson({ path: { person_id }, body: { active: !active } })}
      done={active ? 'The person is deactivated.' : 'The person is active again.'}
    >
      {active ? (
        <p>
          The person is signed out of everything at once, and cannot sign in until somebody activates them again:
          refresh tokens and user info fail from then on. ID tokens that were issued stay valid until they expire.
          Handles, groups and identities stay. Applications with a logout URI are told, and PersonDeactivated_v1 is
          published.
        </p>
      ) : (
        <p>
          The person can sign in again, with the handles, groups and identities that they have. PersonActivated_v1 is
          published.
        </p>
      )}
      {keeper && (
        <p>
          The directory <KeeperLink keeper={keeper} /> keeps this person.{' '}
          {active
            ? 'It cannot lift what is done here.'
            : 'If it has switched them off, this is refused: they are activated at the customer.'}
        </p>
      )}
    </AskingButton>
  )
}

function DeletePerson({ person, keeper }: PersonActionsProps) {
  const { person_id } = person
  return (
    <AskingButton
      label="Delete"
      button={{ tone: 'danger', icon: 'trash' }}
      title="Delete this person?"
      action="Delete person"
      typed={nameOf(person)}
      call={(signet) => signet.deletePerson({ path: { person_id } })}
      done="The person is deleted."
      next="/persons"
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
        {keeper && (
          <li>
            The directory <KeeperLink keeper={keeper} /> has no such user from then on, and may create the person anew.
            Take them out of it at the customer first.
          </li>
        )}
        <li>Earlier events and entries of the audit log keep the ID until they are too old to be kept.</li>
      </ul>
    </AskingButton>
  )
}
