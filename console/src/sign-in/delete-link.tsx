import type { CredentialLink } from '@signet/management'
import { AskingButton } from '../calls/asking-button.tsx'
import { providers } from '../providers/providers.ts'
import { useRefusal } from '../session/session.ts'

export function DeleteLink({ link: { id, provider, label } }: { link: CredentialLink }) {
  const refusal = useRefusal('credentials:write')
  const name = `Delete the link for ${label || providers[provider].name}`
  return (
    <AskingButton
      button={{ tone: 'quiet', size: 'small', icon: 'trash', title: refusal ?? 'Delete', 'aria-label': name }}
      refusal={refusal}
      title="Delete this link?"
      action="Delete link"
      call={(signet) => signet.deleteCredentialLink({ path: { id } })}
      done="The link is deleted."
    >
      <p>
        Nobody can use it any more: whoever has it sees that it does not open anything. The callback URL that it shows
        belongs to no credential.
      </p>
    </AskingButton>
  )
}
