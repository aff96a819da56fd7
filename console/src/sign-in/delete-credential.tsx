import type { Credential } from '@signet/management'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../design/button.tsx'
import { ConfirmDialog } from '../design/dialog.tsx'
import { notify } from '../design/toasts.tsx'
import { providers } from '../providers/providers.ts'
import { lacks, useMay } from '../session/session.ts'

export function DeleteCredential({ credential: { client_id, provider } }: { credential: Credential }) {
  const [isOpen, setOpen] = useState(false)
  const mayWrite = useMay('credentials:write')
  const navigate = useNavigate()
  const onDone = () => {
    notify('The credential is deleted.')
    return navigate('/sign-in')
  }
  return (
    <>
      <Button
        icon="trash"
        disabled={!mayWrite}
        title={mayWrite ? undefined : lacks('credentials:write')}
        onClick={() => setOpen(true)}
      >
        Delete credential
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Delete this credential?"
        action="Delete credential"
        typed="delete"
        onDone={onDone}
        call={(signet) => signet.deleteOidcCredential({ path: { oauth_client_id: client_id } })}
        onClose={() => setOpen(false)}
      >
        <p>
          Nobody can sign in with it any more, and sessions that began with it end. Tokens that were issued stay valid
          until they expire.
        </p>
        <p>
          Persons and their identities at {providers[provider].name} stay: with a new credential of the same provider
          they are the same persons again, except at Facebook with another app and at LINE under another provider.
        </p>
        <p>The secret is gone. A new credential for the same client ID has another callback URL, to register anew.</p>
      </ConfirmDialog>
    </>
  )
}
