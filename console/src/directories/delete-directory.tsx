import type { CountedDirectory } from '@signet/management'
import { useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import { SelectField } from '../design/field.tsx'
import { ShortText } from '../design/text.tsx'
import { useAdminRefusal } from '../session/session.ts'

const choices = [
  ['keep', 'Stay as they are'],
  ['deactivate', 'Are all switched off'],
] as const
type People = (typeof choices)[number][0]

export function DeleteDirectory({
  directory: { id, name, users_count, groups_count },
}: {
  directory: CountedDirectory
}) {
  const [people, setPeople] = useState<People>('keep')
  return (
    <AskingButton
      label="Delete directory"
      button={{ icon: 'trash' }}
      refusal={useAdminRefusal()}
      title="Delete this directory?"
      action="Delete directory"
      typed="delete"
      call={(signet) => signet.deleteDirectory({ path: { id }, query: { people } })}
      done="The directory is deleted."
      next="/sign-in/directories"
    >
      <p>
        <ShortText>{name}</ShortText> and its tokens and links stop working at once. This cannot be undone; a new
        directory would be another one, with tokens of its own.
      </p>
      <SelectField
        name="people"
        label={`Its persons, ${users_count.toLocaleString()} now`}
        value={people}
        onChange={(chosen) => setPeople(chosen as People)}
        options={choices}
      />
      {people === 'keep' ? (
        <p>
          Whoever may sign in may go on, and nobody outside switches them off any more. Whom the directory had switched
          off stays off until a key or an administrator activates them.
        </p>
      ) : (
        <p>
          Everybody is signed out of everything at once and cannot sign in until a key or an administrator activates
          them. PersonDeactivated_v1 is published for each who was active.
        </p>
      )}
      <p>
        Its groups, {groups_count.toLocaleString()} now, stay with their members, and are changed here from then on. It
        vouches for no address any more: a handle that nobody else vouches for, and no key has written, goes.
      </p>
    </AskingButton>
  )
}
