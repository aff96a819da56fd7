import type { Application } from '@signet/management'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../design/button.tsx'
import { ConfirmDialog } from '../design/dialog.tsx'
import { notify } from '../design/toasts.tsx'
import { lacks, useMay } from '../session/session.ts'

export function DeleteApplication({ application: { client_id } }: { application: Application }) {
  const [isOpen, setOpen] = useState(false)
  const mayWrite = useMay('applications:write')
  const navigate = useNavigate()
  const onDone = () => {
    notify('The application is deleted.')
    return navigate('/sign-in/applications')
  }
  return (
    <>
      <Button
        icon="trash"
        disabled={!mayWrite}
        title={mayWrite ? undefined : lacks('applications:write')}
        onClick={() => setOpen(true)}
      >
        Delete application
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Delete this application?"
        action="Delete application"
        typed="delete"
        onDone={onDone}
        call={(signet) => signet.deleteApplication({ path: { client_id } })}
        onClose={() => setOpen(false)}
      >
        <p>
          Nobody can sign in to it any more: whoever comes from it sees a page of Signet that says so. Its refresh
          tokens stop working; ID tokens that were issued stay valid until they expire.
        </p>
        <p>
          Persons, and their sessions at other applications, stay. The client ID does not come back: an application that
          is registered anew gets another.
        </p>
      </ConfirmDialog>
    </>
  )
}
