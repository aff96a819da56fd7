import type { Credential } from '@signet/management'
import { AskingButton } from '../calls/asking-button.tsx'
import { providerInWords } from '../providers/providers.ts'
import { useRefusal } from '../session/session.ts'

export function DeleteCredential({ credential: { client_id, provider } }: { credential: Credential }) {
  return (
    <AskingButton
      label="Delete credential"
      button={{ icon: 'trash' }}
      refusal={useRefusal('credentials:write')}
      title="Delete this credential?"
      action="Delete credential"
      typed="delete"
      call={(signet) => signet.deleteOidcCredential({ path: { oauth_client_id: client_id } })}
      done="The credential is deleted."
      next="/sign-in"
    >
      <p>
        Nobody can sign in with it any more. Deleted with an admin key, it ends the sessions and refresh tokens that
        came of it, and applications with a logout URI are told. ID tokens that were issued stay valid until they
        expire.
      </p>
      <p>
        Persons and their identities at {providerInWords(provider)} stay: with a new credential of the same provider
        they are the same persons again, except at Facebook with another app and at LINE under another provider.
      </p>
      <p>The secret is gone. A new credential for the same client ID has another callback URL, to register anew.</p>
    </AskingButton>
  )
}
