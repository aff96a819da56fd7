import { ShownOnce } from '../design/shown-once.tsx'

type SecretDialogProps = { clientId: string; secret: string; onClose: () => void }

/** The only time that the client secret of an application is seen. */
export const SecretDialog = ({ clientId, secret, onClose }: SecretDialogProps) => (
  <ShownOnce
    title="The client secret"
    words="Signet keeps only a hash of it. Store it where the application reads its secrets; if it is lost, replace it by another."
    texts={[
      ['Client ID', clientId],
      ['Client secret', secret],
    ]}
    done="I have stored it"
    onClose={onClose}
  />
)
