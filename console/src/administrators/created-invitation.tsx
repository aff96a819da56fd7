import type { CreatedConsoleInvitation } from '@signet/management'
import { Code } from '../design/code.tsx'
import { ShownOnce } from '../design/shown-once.tsx'
import { Time } from '../design/time.tsx'

type CreatedInvitationDialogProps = { invitation: CreatedConsoleInvitation; onClose: () => void }

/** The only time that the link is seen. */
export const CreatedInvitationDialog = ({ invitation, onClose }: CreatedInvitationDialogProps) => (
  <ShownOnce
    title="Send this invitation"
    words="Whoever opens it first comes in, so send it to one person, in a way that others do not read."
    texts={[]}
    done="I have copied it"
    onClose={onClose}
  >
    <InvitationLink invitation={invitation} />
  </ShownOnce>
)

export const InvitationLink = ({ invitation: { url, expires_at } }: { invitation: CreatedConsoleInvitation }) => (
  <>
    <Code label="Invitation" text={url} wrap />
    <p>
      It can be used once, until <Time at={expires_at} />
    </p>
  </>
)
