import type { Group } from '@signet/management'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ConfirmDialog } from '../calls/confirm-dialog.tsx'
import { Button } from '../design/button.tsx'
import { ShortText } from '../design/text.tsx'
import { notify } from '../design/toasts.tsx'

export function DeleteGroup({ group: { name, members_count } }: { group: Group }) {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const done = () => {
    notify('The group is deleted.')
    return navigate('/groups')
  }
  return (
    <>
      <Button tone="danger" icon="trash" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Delete this group?"
        action="Delete group"
        {...(members_count > 0 && { typed: name })}
        call={(signet) => signet.deleteGroup({ path: { group_name: name } })}
        onDone={done}
        onClose={() => setOpen(false)}
      >
        <p>
          The group <ShortText>{name}</ShortText> is deleted for good.
        </p>
        <ul>
          <li>
            {members_count === 0
              ? 'It has no members.'
              : `Its members, ${members_count.toLocaleString()} now, leave it; the persons themselves stay.`}
          </li>
          <li>
            Tokens that are issued from then on no longer name it, nor does PersonDeleted_v1. ID tokens that were issued
            before name it until they expire.
          </li>
          <li>No event is published. A group that is created later with this name begins without members.</li>
        </ul>
      </ConfirmDialog>
    </>
  )
}
