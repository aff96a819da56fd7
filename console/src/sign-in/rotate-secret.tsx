import type { Application, ApplicationWithSecret } from '@signet/management'
import { useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import type { Call } from '../service/signet.ts'
import { useRefusal } from '../session/session.ts'
import { SecretDialog } from './secret-dialog.tsx'

export function RotateSecret({ application }: { application: Application }) {
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <AskingButton
        label="Rotate secret"
        button={{ icon: 'refresh' }}
        refusal={useRefusal('applications:write')}
        title="Rotate the client secret?"
        action="Rotate secret"
        call={rotation(application)}
        onDone={({ result }) => setSecret(result.client_secret)}
      >
        <p>
          Every present secret stops working at once. Until the application has the new one, sign-ins and refreshes fail
          at the token endpoint; sessions, and tokens that were issued, stay as they are.
        </p>
      </AskingButton>
      {secret && <SecretDialog clientId={application.client_id} secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

const rotation =
  ({ client_id }: Application): Call<{ result: ApplicationWithSecret }> =>
  (signet) =>
    signet.rotateClientSecret({ path: { client_id } })
