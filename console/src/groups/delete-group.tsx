import type { Group } from '@signet/management'
import { AskingButton } from '../calls/asking-button.tsx'
import { ShortText } from '../design/text.tsx'

type DeleteGroupProps = { group: Group; isGuarded: boolean }

export function DeleteGroup({ group: { name, members_count }, isGuarded }: DeleteGroupProps) {
  return (
    <AskingButton
      label="Delete"
      button={{ tone: 'danger', icon: 'trash' }}
      refusal={isGuarded ? 'Take it out of Administrators first.' : undefined}
      title="Delete this group?"
      action="Delete group"
      {...(members_count > 0 && { typed: name })}
      call={(signet) => signet.deleteGroup({ path: { group_name: name } })}
      done="The group is deleted."
      next="/groups"
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
    </AskingButton>
  )
}
