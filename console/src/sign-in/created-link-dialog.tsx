import type { CreatedCredentialLink } from '@signet/management'
import { Button } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Notice } from '../design/state.tsx'
import { Time } from '../design/time.tsx'
import { providers } from '../providers/providers.ts'
import { useSession } from '../session/session.ts'
import { messageFor } from './link-message.ts'

type CreatedLinkDialogProps = { link: CreatedCredentialLink; onClose: () => void }

/** The only time that the link is seen. */
export function CreatedLinkDialog({ link, onClose }: CreatedLinkDialogProps) {
  const { name = 'Signet' } = useSession()
  const message = messageFor({ organization: name, provider: providers[link.provider].name, link })
  const actions = (
    <Button tone="primary" onClick={onClose}>
      I have copied it
    </Button>
  )
  return (
    <Dialog isOpen isModal title="Send this link" isWide actions={actions} onClose={onClose}>
      <Notice tone="warn" title="It is shown this once.">
        Whoever has it can enter the credential, so send it to one person, in a way that others do not read. Until you
        activate it, nobody signs in with what was entered.
      </Notice>
      <Code label="Link" text={link.url} wrap />
      <Code label="Message to send" text={message} wrap />
      <p>
        It can be used once, until <Time at={link.expires_at} />
      </p>
    </Dialog>
  )
}
