import type { Identity } from '@signet/management'
import { ConfirmDialog } from '../calls/confirm-dialog.tsx'
import { ShortText } from '../design/text.tsx'
import { providerInWords } from '../providers/providers.ts'

type RemoveIdentityDialogProps = { personId: string; identity: Identity; onClose: () => void }

export function RemoveIdentityDialog({ personId, identity, onClose }: RemoveIdentityDialogProps) {
  return (
    <ConfirmDialog
      isOpen
      title="Remove this identity?"
      action="Remove identity"
      call={(client) => client.deletePersonIdentity({ path: { person_id: personId, identity_id: identity.id } })}
      done="The identity is removed."
      onClose={onClose}
    >
      <p>
        The account <ShortText>{identity.email ?? identity.subject}</ShortText> at {providerInWords(identity.provider)}{' '}
        no longer signs in as this person.
      </p>
      <ul>
        <li>Sessions and refresh tokens that came of this account end, and their applications are told.</li>
        <li>
          It is remembered that it was removed. A later sign-in with this account makes a new person, where
          self-registration allows one, and is never linked to an existing person by its address.
        </li>
      </ul>
    </ConfirmDialog>
  )
}
