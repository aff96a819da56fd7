import { Button } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Notice } from '../design/state.tsx'

type SecretDialogProps = { clientId: string; secret: string; onClose: () => void }

/** The only time that the client secret of an application is seen. */
export function SecretDialog({ clientId, secret, onClose }: SecretDialogProps) {
  const actions = (
    <Button tone="primary" onClick={onClose}>
      I have stored it
    </Button>
  )
  return (
    <Dialog isOpen isModal title="The client secret" actions={actions} onClose={onClose}>
      <Notice tone="warn" title="It is shown this once.">
        Signet keeps only a hash of it. Store it where the application reads its secrets; if it is lost, replace it by
        another.
      </Notice>
      <Code label="Client ID" text={clientId} wrap />
      <Code label="Client secret" text={secret} wrap />
    </Dialog>
  )
}
