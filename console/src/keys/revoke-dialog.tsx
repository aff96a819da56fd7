import type { ApiKey } from '@signet/management'
import { ConfirmDialog } from '../calls/confirm-dialog.tsx'

type RevokeDialogProps = { apiKey: ApiKey; isOwn: boolean; onClose: () => void }

export function RevokeDialog({ apiKey: { id, name }, isOwn, onClose }: RevokeDialogProps) {
  return (
    <ConfirmDialog
      isOpen
      title={`Revoke ${name ?? `the key ${id}`}?`}
      action="Revoke key"
      call={(client) => client.revokeApiKey({ path: { id } })}
      done="The key is revoked."
      onClose={onClose}
    >
      <p>
        From the next request on, whoever uses this key is refused. Console sessions that were begun with it end as
        well.
      </p>
      {isOwn && <p>This is the key of your own session: you will be signed out.</p>}
      <p>A revoked key cannot be brought back. The last admin key cannot be revoked.</p>
    </ConfirmDialog>
  )
}
