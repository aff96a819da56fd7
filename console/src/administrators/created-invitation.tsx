import type { CreatedConsoleInvitation } from '@signet/management'
import { Button } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Notice } from '../design/state.tsx'
import { Time } from '../design/time.tsx'

type CreatedInvitationDialogProps = { invitation: CreatedConsoleInvitation; onClose: () => void }

/** The only time that the link is seen. */
export const CreatedInvitationDialog = ({ invitation, onClose }: CreatedInvitationDialogProps) => (
  <Dialog
    isOpen
    isModal
    title="Send this invitation"
    isWide
    actions={
      <Button tone="primary" onClick={onClose}>
        I have copied it
      </Button>
    }
    onClose={onClose}
  >
    <Notice tone="warn" title="It is shown this once.">
      Whoever opens it first comes in, so send it to one person, in a way that others do not read.
    </Notice>
    <InvitationLink invitation={invitation} />
  </Dialog>
)

export const InvitationLink = ({ invitation: { url, expires_at } }: { invitation: CreatedConsoleInvitation }) => (
  <>
    <Code label="Invitation" text={url} wrap />
    <p>
      It can be used once, until <Time at={expires_at} />
    </p>
  </>
)
