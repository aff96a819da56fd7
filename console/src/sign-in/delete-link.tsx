import type { CredentialLink } from '@signet/management'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { ConfirmDialog } from '../design/dialog.tsx'
import { notify } from '../design/toasts.tsx'
import { providers } from '../providers/providers.ts'
import { lacks, useMay } from '../session/session.ts'

export function DeleteLink({ link: { id, provider, label } }: { link: CredentialLink }) {
  const [isOpen, setOpen] = useState(false)
  const mayWrite = useMay('credentials:write')
  const onDone = () => {
    setOpen(false)
    notify('The link is deleted.')
  }
  return (
    <>
      <Button
        tone="quiet"
        size="small"
        icon="trash"
        disabled={!mayWrite}
        aria-label={`Delete the link for ${label || providers[provider].name}`}
        title={mayWrite ? 'Delete' : lacks('credentials:write')}
        onClick={() => setOpen(true)}
      />
      <ConfirmDialog
        isOpen={isOpen}
        title="Delete this link?"
        action="Delete link"
        onDone={onDone}
        call={(signet) => signet.deleteCredentialLink({ path: { id } })}
        onClose={() => setOpen(false)}
      >
        <p>
          Nobody can use it any more: whoever has it sees that it does not open anything. The callback URL that it shows
          belongs to no credential.
        </p>
      </ConfirmDialog>
    </>
  )
}
