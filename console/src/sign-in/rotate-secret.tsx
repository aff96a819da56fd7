import type { Application, ApplicationWithSecret } from '@signet/management'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { ConfirmDialog } from '../design/dialog.tsx'
import type { Call } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { SecretDialog } from './secret-dialog.tsx'

/** An application that becomes public loses its secret, and one that becomes confidential gets one. */
export function RotateSecret({ application }: { application: Application }) {
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string>()
  const isAllowed = useMay('applications:write')
  const onDone = ({ result }: { result: ApplicationWithSecret }) => {
    setOpen(false)
    setSecret(result.client_secret)
  }
  return (
    <>
      <Button
        {...{ icon: 'refresh', disabled: !isAllowed }}
        title={isAllowed ? undefined : 'This key does not have the scope applications:write.'}
        onClick={() => setOpen(true)}
      >
        Rotate secret
      </Button>
      <ConfirmDialog
        {...{
          isOpen,
          title: 'Rotate the client secret?',
          action: 'Rotate secret',
          call: rotation(application),
          onDone,
        }}
        onClose={() => setOpen(false)}
      >
        <p>
          The present secret stops working at once. Until the application has the new one, sign-ins and refreshes fail
          at the token endpoint; sessions, and tokens that were issued, stay as they are.
        </p>
        <p>
          It takes two requests, and between them the application has no secret. If the second fails, rotate again: the
          application is public until that succeeds.
        </p>
      </ConfirmDialog>
      {secret && <SecretDialog clientId={application.client_id} {...{ secret, onClose: () => setSecret(undefined) }} />}
    </>
  )
}

const rotation =
  ({ client_id, require_pkce }: Application): Call<{ result: ApplicationWithSecret }> =>
  async (signet) => {
    const path = { client_id }
    await signet.changeApplication({ path, body: { confidential: false, require_pkce: true } })
    return signet.changeApplication({ path, body: { confidential: true, require_pkce } })
  }
