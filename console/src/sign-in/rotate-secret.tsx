import type { Application, ApplicationWithSecret } from '@signet/management'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { ConfirmDialog } from '../design/dialog.tsx'
import type { Call } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { SecretDialog } from './secret-dialog.tsx'

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
        icon="refresh"
        disabled={!isAllowed}
        title={isAllowed ? undefined : 'This key does not have the scope applications:write.'}
        onClick={() => setOpen(true)}
      >
        Rotate secret
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Rotate the client secret?"
        action="Rotate secret"
        call={rotation(application)}
        onDone={onDone}
        onClose={() => setOpen(false)}
      >
        <p>
          The present secret stops working at once. Until the application has the new one, sign-ins and refreshes fail
          at the token endpoint; sessions, and tokens that were issued, stay as they are.
        </p>
      </ConfirmDialog>
      {secret && <SecretDialog clientId={application.client_id} secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

const rotation =
  ({ client_id }: Application): Call<{ result: ApplicationWithSecret }> =>
  (signet) =>
    signet.rotateClientSecret({ path: { client_id } })
