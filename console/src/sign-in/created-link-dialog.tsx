import type { CreatedCredentialLink } from '@signet/management'
import { ShownOnce } from '../design/shown-once.tsx'
import { Time } from '../design/time.tsx'
import { providers } from '../providers/providers.ts'
import { useSession } from '../session/session.ts'
import { messageFor } from './link-message.ts'

type CreatedLinkDialogProps = { link: CreatedCredentialLink; onClose: () => void }

/** The only time that the link is seen. */
export function CreatedLinkDialog({ link, onClose }: CreatedLinkDialogProps) {
  const { name = 'Signet' } = useSession()
  const message = messageFor({ organization: name, provider: providers[link.provider].name, link })
  return (
    <ShownOnce
      title="Send this link"
      words="Whoever has it can enter the credential, so send it to one person, in a way that others do not read. Until you activate it, nobody signs in with what was entered."
      texts={[
        ['Link', link.url],
        ['Message to send', message],
      ]}
      done="I have copied it"
      onClose={onClose}
    >
      <p>
        It can be used once, until <Time at={link.expires_at} />
      </p>
    </ShownOnce>
  )
}
