import type { Application } from '@signet/management'
import { AskingButton } from '../calls/asking-button.tsx'
import { useRefusal } from '../session/session.ts'

export function DeleteApplication({ application: { client_id } }: { application: Application }) {
  return (
    <AskingButton
      label="Delete application"
      button={{ icon: 'trash' }}
      refusal={useRefusal('applications:write')}
      title="Delete this application?"
      action="Delete application"
      typed="delete"
      call={(signet) => signet.deleteApplication({ path: { client_id } })}
      done="The application is deleted."
      next="/sign-in/applications"
    >
      <p>
        Nobody can sign in to it any more: whoever comes from it sees a page of Signet that says so. Its refresh tokens
        stop working; ID tokens that were issued stay valid until they expire.
      </p>
      <p>
        Persons, and their sessions at other applications, stay. The client ID does not come back: an application that
        is registered anew gets another.
      </p>
    </AskingButton>
  )
}
